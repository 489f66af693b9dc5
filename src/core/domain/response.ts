/** What is run of a candidate: itself, or for a prose target the name `response` that its assertions and scorer read. */
import { languageOf } from '../languages/list';
import { hasChecks } from './checks/checks';
import type { RefineRequest } from './request';
import { wellFormed } from '../text/cut';

/** The source to execute; null when nothing is to be run. */
export function sourceToRun(
  request: RefineRequest,
  candidate: string
): string | null {
  if (request.target.kind === 'code') {
    return wellFormed(candidate);
  }
  if (!hasChecks(request) && !request.scorer) {
    return null;
  }
  return languageOf(request.language).bindResponse(
    JSON.stringify(wellFormed(candidate))
  );
}
