/** How attempts end that no evaluator could judge, and those that end the session. */
import {
  NOTHING_REPORTED,
  type Execution,
  type ExecutionError,
  type Isolation
} from '../domain/execution';
import { SessionStop } from '../session/session';
import type { Verdict } from '../domain/verdict';

export function noCandidate(message: string): Verdict {
  return {
    evaluator: 'none',
    evaluation: 'fail',
    score: null,
    reasons: [message]
  };
}

export function cutOff(message: string): Verdict {
  return {
    evaluator: 'none',
    evaluation: 'unknown',
    score: null,
    reasons: [message]
  };
}

/** The execution of a cell that failed in the notebook, before the session. */
export function failedExecution(
  id: string,
  error: ExecutionError,
  isolation: Isolation
): Execution {
  return {
    id,
    status: 'error',
    error,
    ...NOTHING_REPORTED,
    isolation,
    totalMs: 0
  };
}

/** An execution that ended with its kernel, or by the user's hand, ends the session. */
export function stopWithKernel(execution: Execution): void {
  const message =
    execution.stopMessage ?? `The kernel ended: ${execution.stop ?? ''}.`;
  if (execution.stop === 'kernel-died') {
    throw new SessionStop('kernel-died', {
      code: 'kernel-dead',
      message,
      kind: 'kernel'
    });
  }
  if (execution.stop === 'kernel-restarted') {
    throw new SessionStop('kernel-restarted', {
      code: 'kernel-restarted',
      message,
      kind: 'kernel'
    });
  }
  if (execution.stop === 'interrupted' || execution.stop === 'stopped') {
    throw new SessionStop('stopped');
  }
}
