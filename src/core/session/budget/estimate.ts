/** Tokens counted from characters, for where no provider has reported them. */
import type { ChatMessage } from '../../domain/model';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

export function estimateTokens(text: string): number {
  return tokensOf(text.length);
}

/** Tokens of a text with so many characters. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function estimatePrompt(
  messages: readonly Pick<ChatMessage, 'content'>[]
): number {
  return messages.reduce(
    (sum, message) =>
      sum + TOKENS_PER_MESSAGE + estimateTokens(message.content),
    0
  );
}
