/** What a session that continues takes over from the notebook as it is now. */
import type { SessionState } from '../../../core/events/state';
import { holdsAttempt } from '../../../notebook/acceptedSource';
import type { TargetPlan } from '../../../notebook/plan';

/**
 * The plan of a session that continues. An attempt that was written into the cell
 * is no new start: Restore brings back the source from before it, and a prompt
 * in that source still counts.
 */
export function planGoingOn(
  { request, attempts }: SessionState,
  now: TargetPlan
): TargetPlan {
  const { source } = now.target;
  if (
    !request ||
    !attempts.some(({ code }) => holdsAttempt(request, code, source))
  ) {
    return now;
  }
  const { prompt, promptOrigin } = now.prompt ? now : request;
  return {
    ...now,
    prompt,
    promptOrigin,
    target: { ...now.target, source: request.target.source }
  };
}
