/** How far a model has come that reads or writes now, and what that will have used. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { addUsage, NO_USAGE, type Usage } from '../../core/domain/model';
import type { AttemptState, SessionState } from '../../core/events/state';
import {
  estimatePrompt,
  estimateTokens
} from '../../core/session/budget/estimate';
import { duration } from '../../core/text/duration';

/** Of text that came within less, ms, no rate is said. */
const LEAST_MS = 1000;

/** `24 tokens/s, about 5 s left`; null until a model writes. */
export function paceWords(
  session: SessionState,
  trans: TranslationBundle
): string | null {
  const [current] = openCalls(session);
  if (!current) {
    return null;
  }
  const { attempt, completionTokens: written } = current;
  const { writingSince = session.lastAt } = attempt;
  const ms = session.lastAt - writingSince;
  if (ms < LEAST_MS || written === 0) {
    return null;
  }
  const leftMs = (tokensBefore(session) - written) * (ms / written);
  const rate = Math.max(1, Math.round((written / ms) * 1000));
  return leftMs < LEAST_MS
    ? trans.__('%1 tokens/s', rate)
    : trans.__('%1 tokens/s, about %2 left', rate, duration(leftMs, trans));
}

/** The usage with that of the calls that have not ended. */
export function usageSoFar(session: SessionState): Usage {
  return openCalls(session).reduce(
    (sum, { promptTokens, completionTokens }) =>
      addUsage(sum, {
        ...NO_USAGE,
        calls: 1,
        promptTokens,
        completionTokens,
        estimated: true,
        cost: session.usage.cost === null ? null : 0
      }),
    session.usage
  );
}

type OpenCall = Pick<Usage, 'promptTokens' | 'completionTokens'> & {
  readonly attempt: AttemptState;
};

function openCalls({ attempts }: SessionState): readonly OpenCall[] {
  return attempts
    .filter(
      ({ phase, usage, prompt }) =>
        phase === 'writing' && usage.calls === 0 && prompt.length > 0
    )
    .map(attempt => ({
      attempt,
      promptTokens: estimatePrompt(attempt.prompt),
      completionTokens: estimateTokens(attempt.thoughts + attempt.code)
    }));
}

/** Tokens of an answer so far, in the mean; 0 before the first one. */
function tokensBefore({ attempts }: SessionState): number {
  const ended = attempts
    .filter(({ phase, usage }) => phase === 'ended' && usage.calls > 0)
    .map(({ usage }) => usage.completionTokens / usage.calls);
  return ended.reduce((sum, n) => sum + n, 0) / Math.max(1, ended.length);
}
