/** The begin of a session. */
import type { CheckDeps } from './deps';
import type { Isolation } from './execution';
import type { ILanguageModel } from './model';
import type { RefineRequest } from './request';
import { describeError, SessionStop, type Session } from './session';

/** Prepare the kernel and tell the start, also when there is no kernel to prepare. */
export async function startSession(
  session: Session,
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): Promise<Isolation> {
  const begin = (isolation: Isolation) =>
    session.emit({
      type: 'session-start',
      request,
      model: generator?.identity ?? null,
      isolation
    });
  try {
    const isolation = await session.scope.wait(
      deps.executor.prepare(session.scope.signal)
    );
    begin(isolation);
    return isolation;
  } catch (error) {
    const told = describeError(error);
    begin(notIsolated(error instanceof SessionStop ? [] : [told.message]));
    session.scope.check();
    throw new SessionStop(
      told.code === 'kernel-restarted' ? 'kernel-restarted' : 'kernel-died',
      { kind: 'kernel', ...told }
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
