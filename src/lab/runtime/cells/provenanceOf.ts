import { bestAttempt } from '../../../core/events/best';
import { confirmedCounts } from '../../../core/domain/checks/confirmation';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { provenance } from '../../../notebook/provenance';
import type { ResultMetadata } from '../../../notebook/structure/result';

/**
 * What an accepted cell remembers. Undefined where there is nothing to record:
 * the session did not end, or what the cell held was taken back.
 */
export function provenanceOf(
  { request, outcome, model, isolation }: SessionState,
  attempt: AttemptState,
  version: string
): ResultMetadata | undefined {
  if (!request || !outcome || attempt.attempt === 0) {
    return undefined;
  }
  const where = attempt.execution?.isolation ?? isolation;
  return where
    ? provenance({
        request,
        outcome,
        accepted: bestAttempt(attempt),
        isolation: where,
        // The user wrote it.
        model: attempt.editedFrom === undefined ? model : null,
        version,
        now: Date.now(),
        confirmed: confirmedCounts(attempt),
        clean:
          outcome.best?.attempt === attempt.attempt
            ? outcome.clean?.passed
            : undefined
      })
    : undefined;
}
