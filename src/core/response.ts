/** What is run of a candidate: itself, or for a prose target the name `response` that its assertions and scorer read. */
import { hasChecks } from './checks';
import type { RefineRequest } from './request';

/** The source to execute; null when nothing is to be run. */
export function sourceToRun(
  request: RefineRequest,
  candidate: string
): string | null {
  if (request.target.kind === 'code') {
    return candidate;
  }
  if (!hasChecks(request) && !request.scorer) {
    return null;
  }
  const literal = JSON.stringify(candidate);
  return request.language === 'r'
    ? `response <- ${literal}`
    : request.language === 'javascript' || request.language === 'typescript'
      ? `var response = ${literal};`
      : `response = ${literal}`;
}
