/** How a session ended. */
import type * as z from 'zod';
import type { disputeSchema, outcomeSchema } from '../events/schema';
import type { Frozen } from '../settings';

export type Outcome = Frozen<z.infer<typeof outcomeSchema>>;
export type StopReason = Outcome['stopReason'];
export type CheckedBy = Outcome['checkedBy'];
export type BestAttempt = NonNullable<Outcome['best']>;
export type CleanResult = NonNullable<Outcome['clean']>;
/** A model's objection to a check that ends the session: the user decides. */
export type Dispute = Frozen<z.infer<typeof disputeSchema>>;
/** As an answer holds it. */
export type Objection = Omit<Dispute, 'check'>;
/** The dispute that ended a session, and what the best candidate gives there. */
export type OpenDispute = NonNullable<Outcome['dispute']>;

/** Ends that leave an attempt worth keeping: a plateau, a cap, a spent budget. Not a stop, a rejection or an error. */
const KEEPS_BEST: ReadonlySet<StopReason> = new Set([
  'max-attempts',
  'patience',
  'target',
  'budget',
  'timeout',
  'no-checks'
]);

/** The best attempt of a session that did not pass, if the setting `keepBest` is about it; else null. */
export function keepable(outcome: Outcome): BestAttempt | null {
  const { passed, best, stopReason } = outcome;
  return !passed &&
    best !== null &&
    best.attempt > 0 &&
    best.candidate !== '' &&
    KEEPS_BEST.has(stopReason)
    ? best
    : null;
}
