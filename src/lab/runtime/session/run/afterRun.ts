/** What follows a run: its best attempt is written or offered, and repeated in a fresh kernel. */
import { hasChecks } from '../../../../core/domain/checks/checks';
import { keepable } from '../../../../core/domain/outcome';
import type { AttemptState, SessionState } from '../../../../core/events/state';
import type { Acceptance } from '../../acceptance/acceptance';

/** The session that has run. */
type Ended = {
  readonly state: SessionState | null;
  readonly acceptance: Acceptance;
  readonly isDisposed: boolean;
  attempt(attempt: number): AttemptState | null;
  checkClean(): Promise<void>;
};

type AfterRun = {
  /** Ends what follows a run, when the next one starts. */
  readonly signal: () => AbortSignal;
  /** The attempt could not be written. */
  readonly onError: (reason: unknown) => void;
};

export async function afterRun(
  session: Ended,
  { signal, onError }: AfterRun
): Promise<void> {
  const { acceptance } = session;
  const outcome = session.state?.outcome ?? null;
  if (outcome && session.state?.request?.options.keepBest === 'always') {
    // What did not pass is written, and not run.
    const best = keepable(outcome);
    const attempt = best ? session.attempt(best.attempt) : null;
    if (attempt && !session.isDisposed) {
      await acceptance.take(session.state, attempt, signal());
    }
  }
  const best = outcome?.passed ? outcome.best : null;
  const attempt =
    best && best.attempt > 0 ? session.attempt(best.attempt) : null;
  if (attempt && !session.isDisposed) {
    try {
      await acceptance.onPass(session.state!, attempt, signal());
    } catch (reason) {
      onError(reason);
    }
    const { request } = session.state!;
    if (request?.options.confirmClean && hasChecks(request)) {
      await session.checkClean();
    }
  }
}
