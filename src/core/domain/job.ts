/** What an executor is asked to run for a request. */
import type { ExecutionJob } from './executor';
import { withoutSkipped } from './checks/numberedChecks';
import type { RefineRequest } from './request';

/** `candidate` against the request's checks, within its limits; the scorer and static checks are the session's to add. */
export function executionJob(
  request: RefineRequest,
  id: string,
  candidate: string
): ExecutionJob {
  const { options, assertions, holdouts, path, language } = request;
  const { hiddenNames, hiddenData, ownNames, askedNames } = request;
  return {
    id,
    candidate,
    assertions: assertions.map(cell => withoutSkipped(cell, language)),
    holdouts,
    limits: { seconds: options.attemptTimeout },
    contextValues: options.contextValues,
    allowNetwork: options.allowNetwork,
    allowWrites: options.allowWrites,
    notebookPath: path,
    ...(hiddenNames ? { hiddenNames } : {}),
    ...(hiddenData ? { hiddenData } : {}),
    ...(ownNames ? { ownNames } : {}),
    ...(askedNames ? { askedNames } : {})
  };
}
