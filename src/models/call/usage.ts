/** Tokens of a model call; the core knows what they cost. */
import type { ModelRequest, Usage } from '../../core/domain/model';
import { tokensOf } from '../../core/session/budget/estimate';

/** What a provider reported of one call; null where it reported nothing. */
export type ReportedUsage = {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
};

/** Tokens of all messages of a request. */
function promptTokensOf(request: ModelRequest): number {
  return tokensOf(
    request.messages.reduce((sum, { content }) => sum + content.length, 0)
  );
}

/** Usage of one call; what the provider did not report is estimated, and the whole marked so. */
export function usageOfCall(
  request: ModelRequest,
  answerCharacters: number,
  reported: ReportedUsage | null
): Usage {
  const { promptTokens = null, completionTokens = null } = reported ?? {};
  return {
    calls: 1,
    promptTokens: promptTokens ?? promptTokensOf(request),
    completionTokens: completionTokens ?? tokensOf(answerCharacters),
    estimated: promptTokens === null || completionTokens === null,
    cost: null
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
  const sent = promptTokensOf(request);
  const read = reported?.promptTokens ?? null;
  if (!read || sent < MIN_COMPARED_TOKENS || read > sent / 2) {
    return null;
  }
  return `Model ${model} read ${read} tokens of a prompt of about ${sent}: its context may be too small and the prompt cut. Raise the context length of the server (Ollama: OLLAMA_CONTEXT_LENGTH).`;
}
