/** The start of a session. */
import type { CheckDeps } from '../deps';
import type { Isolation } from '../domain/execution';
import type { ILanguageModel } from '../domain/model';
import type { RefineRequest } from '../domain/request';
import {
  describeError,
  SessionStop,
  stopAfterKernel,
  type Session
} from '../session/session';

/** Prepare the kernel and report the start, also when there is no kernel to prepare. */
export async function startSession(
  session: Session,
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): Promise<Isolation> {
  const start = (isolation: Isolation) =>
    session.emit({
      type: 'session-start',
      request,
      // The user's own code goes on from a session of a model without one.
      model: generator?.identity ?? session.state.model,
      isolation
    });
  try {
    const isolation = await session.scope.wait(
      deps.executor.prepare(session.scope.signal)
    );
    start(isolation);
    warnOfChanges(session, request);
    warnOfTarget(session, request);
    return isolation;
  } catch (error) {
    const { message } = describeError(error);
    start(notIsolated(error instanceof SessionStop ? [] : [message]));
    session.scope.check();
    throw stopAfterKernel(error);
  }
}

/** An error that is fixed was raised by a run that had changed something. */
function warnOfChanges(session: Session, { repair }: RefineRequest) {
  if (repair && repair.changed.length > 0) {
    session.warn(
      `Before it stopped, the failed run changed ${repair.changed.join(', ')}. Attempts start from the changed values. To start from the old ones, run the cells above again.`
    );
  }
}

/** Only a scorer's metric has a target outside of 0 to 1. */
function warnOfTarget(session: Session, { options, scorer }: RefineRequest) {
  const { targetScore, evaluators } = options;
  const measured = scorer !== undefined || evaluators.includes('scorer');
  if (targetScore !== null && targetScore > 1 && !measured) {
    session.warn(
      `targetScore is ${targetScore}, but a score is never above 1: only a pass, patience or a limit ends the session. Set targetScore to a number from 0 to 1, or add a scorer whose metric it is meant for.`
    );
  }
}

function notIsolated(reasons: readonly string[]): Isolation {
  return {
    mode: 'live',
    memory: false,
    files: 'open',
    network: false,
    reasons
  };
}
