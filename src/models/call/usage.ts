/** Tokens and money of a model call. */
import type { ModelPrices, ModelRequest, Usage } from '../../core/domain/model';

/** What a provider reported of one call; null where it reported nothing. */
export type ReportedUsage = {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
};

const CHARS_PER_TOKEN = 4;

/** Tokens of a text, estimated at four characters each. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARS_PER_TOKEN);
}

/** Characters of all messages of a request. */
function promptCharacters(request: ModelRequest): number {
  return request.messages.reduce((sum, { content }) => sum + content.length, 0);
}

/** Usage of one call; what the provider did not report is estimated, and the whole marked so. */
export function usageOfCall(
  request: ModelRequest,
  answerCharacters: number,
  reported: ReportedUsage | null,
  prices: ModelPrices | null
): Usage {
  const promptTokens =
    reported?.promptTokens ?? estimateTokens(promptCharacters(request));
  const completionTokens =
    reported?.completionTokens ?? estimateTokens(answerCharacters);
  return {
    calls: 1,
    promptTokens,
    completionTokens,
    estimated:
      (reported?.promptTokens ?? null) === null ||
      (reported?.completionTokens ?? null) === null,
    cost: prices
      ? (promptTokens * prices.input + completionTokens * prices.output) / 1e6
      : null
  };
}

/** Below this, chat templates and counting differences weigh too much. */
const MIN_COMPARED_TOKENS = 1000;

/**
 * A warning when the provider counted less than half of the prompt's tokens:
 * servers with a small context (Ollama's default) cut the prompt silently.
 */
export function cutPromptWarning(
  request: ModelRequest,
  reported: ReportedUsage | null,
  model: string
): string | null {
  const sent = estimateTokens(promptCharacters(request));
  const read = reported?.promptTokens ?? null;
  if (!read || sent < MIN_COMPARED_TOKENS || read > sent / 2) {
    return null;
  }
  return `Model ${model} read ${read} tokens of a prompt of about ${sent}: its context may be too small and the prompt cut. Raise the context length of the server (Ollama: OLLAMA_CONTEXT_LENGTH).`;
}
