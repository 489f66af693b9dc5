/** What a human decides: continuing after a pass, permission to run. */
import type { RefineRequest } from '../domain/request';
import { describeError, SessionStop, type Session } from './session';

/** Whether to refine a target that passes already; no where nobody can be asked. */
export async function askToGoOn(session: Session): Promise<boolean> {
  const { generator, ask } = session.deps;
  return generator === null || !ask
    ? false
    : granted(
        session,
        'continue',
        'The cell already passes.',
        ask('continue', session.signal)
      );
}

function needsApproval({ options, target }: RefineRequest): boolean {
  return options.approveExecution && target.kind === 'code';
}

/** Waits for permission to run a candidate; throws where it is denied, which ends the session. */
export async function approve(
  session: Session,
  attempt: number,
  code: string
): Promise<void> {
  const { ask = () => Promise.resolve(false) } = session.deps;
  if (needsApproval(session.request)) {
    const reason = `Attempt ${attempt} needs your permission to run.`;
    const answer = ask('execute', session.signal, { attempt, code });
    if (!(await granted(session, 'execute', reason, answer))) {
      throw new SessionStop('rejected');
    }
  }
}

/** The user's answer, which is no where the question fails. */
async function granted(
  session: Session,
  subject: 'continue' | 'execute',
  reason: string,
  answer: Promise<boolean>
): Promise<boolean> {
  let granted = false;
  try {
    const waits = subject === 'execute' ? 'permission' : 'human';
    granted = await session.waitFor(waits, reason, answer);
  } catch (error) {
    session.signal.throwIfAborted();
    session.warn(`The question failed: ${describeError(error).message}`);
  }
  session.emit({ type: 'permission', subject, granted });
  return granted;
}

/** Reported before a model is paid: a setting asks for a human, but there is no one to ask. */
export function requireHuman({ request, deps }: Session): void {
  const { ask, review } = deps;
  const reviews = request.options.evaluators.includes('human');
  if ((reviews && !review) || (needsApproval(request) && !ask)) {
    throw new SessionStop('rejected', {
      code: 'bad-option',
      message:
        'The evaluators setting includes human, or approveExecution is on, but there is nobody to ask here. Turn that off, or run where somebody can answer.',
      kind: 'config'
    });
  }
}
