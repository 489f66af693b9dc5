/** What checks a target. */
import type { RefineRequest } from './request';

/** True when an assertion or a hold-out is there: without one a candidate is never passed by them. */
export function hasChecks(request: RefineRequest): boolean {
  return request.assertions.length + request.holdouts.length > 0;
}
