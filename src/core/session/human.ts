/** What a human decides: continuing after a pass, permission to run. */
import type { Ask, Asked, RefineDeps } from '../deps';
import type { RefineRequest } from '../domain/request';
import { SessionStop, type Session } from './session';

/** Whether to refine a target that passes already; no where nobody can be asked. */
export async function askToGoOn(
  session: Session,
  { ask, generator }: RefineDeps
): Promise<boolean> {
  if (generator === null || !ask) {
    return false;
  }
  let granted = false;
  try {
    const answer = await session.waitFor(
      'human',
      'The cell already passes.',
      ask('continue', session.signal)
    );
    granted = answer === true;
  } catch (error) {
    session.questionFailed(error);
  }
  session.emit({ type: 'permission', subject: 'continue', granted });
  return granted;
}

/**
 * Waits for permission to run a candidate. False: it is not run, and the session
 * goes on with a hint. Throws where the session ends with the denial.
 */
export type Approve = (attempt: number, code: string) => Promise<boolean>;

/** Null where candidates need no permission. */
export function approval(
  session: Session,
  { options, target }: RefineRequest,
  ask: Ask | undefined
): Approve | null {
  if (!options.approveExecution || target.kind !== 'code') {
    return null;
  }
  return async (attempt, code) => {
    let answer: Asked = false;
    try {
      answer = await session.waitFor(
        'permission',
        `Attempt ${attempt} needs your permission to run.`,
        ask?.('execute', session.signal, { attempt, code }) ??
          Promise.resolve(false)
      );
    } catch (error) {
      session.questionFailed(error, attempt);
    }
    const granted = answer === true;
    const hint = typeof answer === 'object' ? answer.hint.trim() : '';
    session.emit({ type: 'permission', subject: 'execute', granted });
    if (hint !== '') {
      session.emit({ type: 'hint', text: hint });
    } else if (!granted) {
      throw new SessionStop('rejected');
    }
    return granted;
  };
}

/** Reported before a model is paid: a setting asks for a human, but there is no one to ask. */
export function requireHuman(
  { options, target }: RefineRequest,
  { ask, review }: RefineDeps
): void {
  if (options.evaluators.includes('human') && !review) {
    throw cannotAsk(
      'The evaluators setting includes human, but there is nobody to ask here. Remove human from evaluators, or run where somebody can answer.'
    );
  }
  if (options.approveExecution && target.kind === 'code' && !ask) {
    throw cannotAsk(
      'The approveExecution setting is on, but there is nobody to ask here. Turn it off, or run where somebody can answer.'
    );
  }
}

function cannotAsk(message: string): SessionStop {
  return new SessionStop('rejected', {
    code: 'bad-option',
    message,
    kind: 'config'
  });
}
