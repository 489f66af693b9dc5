/** A model's objection to a check: that it contradicts the task or another check. */
import type { AssertionResult } from '../execution';
import type { NumberedCheck } from './numberedChecks';

/** As an answer holds it. */
export type Objection = {
  /** Of the check, counted from 1 over all visible checks. */
  readonly number: number;
  /** One line, bounded; the model's own words. */
  readonly reason: string;
};

/** An objection that ends the session: the user decides. */
export type Dispute = Objection & { readonly check: DisputedCheck };

export type DisputedCheck = Pick<
  NumberedCheck,
  'cellId' | 'index' | 'line' | 'source'
>;

/** The dispute that ended a session, and what the best candidate gives there. */
export type OpenDispute = Objection & {
  /** Attempt whose answer held it. */
  readonly attempt: number;
  readonly check: DisputedCheck;
  /** Absent: no candidate has run so far. */
  readonly given?: {
    readonly attempt: number;
    readonly result: AssertionResult;
  };
};
