/** What checks a target. */
import type { RefineRequest } from './request';
import type { IEvaluator } from './verdict';

/** True when an assertion or a hold-out is there: without one a candidate is never passed by them. */
export function hasChecks(request: RefineRequest): boolean {
  return request.assertions.length + request.holdouts.length > 0;
}

/** True when somebody gives a verdict: a check, or another required evaluator. */
export function isCheckable(
  request: RefineRequest,
  evaluators: readonly IEvaluator[]
): boolean {
  return (
    hasChecks(request) ||
    evaluators.some(e => e.required && e.name !== 'assertions')
  );
}
