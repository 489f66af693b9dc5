/** Tokens counted from characters, for where no provider has reported them. */
import type { ChatMessage, Usage } from '../domain/model';

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Characters that a token has at most, in text as models write it; with some room. */
const MOST_CHARACTERS_PER_TOKEN = 6;

/** Whether `characters` are more than `tokens` can be, so that a limit was not kept. */
export function isBeyond(characters: number, tokens: number | null): boolean {
  return tokens !== null && characters > tokens * MOST_CHARACTERS_PER_TOKEN;
}

export function estimatePrompt(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, message) =>
      sum + TOKENS_PER_MESSAGE + estimateTokens(message.content),
    0
  );
}

/** Usage of a call that ended before its provider sent any. */
export function estimateUsage(
  messages: readonly ChatMessage[],
  received: string
): Usage {
  return {
    calls: 1,
    promptTokens: estimatePrompt(messages),
    completionTokens: estimateTokens(received),
    estimated: true,
    cost: null
  };
}
