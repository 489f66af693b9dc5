/** What may be told of an execution to a model: nothing of a hold-out but that one failed. */
import type { Execution } from './execution';
import type { RefineRequest } from './request';

export const HOLDOUT_FAILED = 'A held-out check failed.';

export type ToldExecution = {
  /** Without results of hold-outs, and without text that may come from them. */
  readonly execution: Execution;
  readonly holdoutFailed: boolean;
};

/** True when candidate and assertions were done with and a hold-out was running. */
export function endedInHoldout(
  request: RefineRequest,
  execution: Execution
): boolean {
  return (
    request.holdouts.length > 0 &&
    execution.status === 'cut' &&
    execution.assertions.some(a => a.outcome !== 'not-run') &&
    execution.assertions.every(
      a => a.role === 'holdout' || a.outcome === 'passed'
    )
  );
}

export function toldExecution(
  request: RefineRequest,
  execution: Execution
): ToldExecution {
  if (request.holdouts.length === 0) {
    return { execution, holdoutFailed: false };
  }
  const cutThere = endedInHoldout(request, execution);
  const failed = execution.assertions.some(
    a =>
      a.role === 'holdout' && (a.outcome === 'failed' || a.outcome === 'error')
  );
  return {
    holdoutFailed: failed || cutThere,
    execution: {
      ...execution,
      assertions: execution.assertions.filter(a => a.role === 'assertion'),
      stdout: '',
      stderr: '',
      warnings: [],
      ...(cutThere
        ? {
            status: 'completed' as const,
            stop: undefined,
            stopMessage: undefined,
            stack: undefined
          }
        : {})
    }
  };
}
