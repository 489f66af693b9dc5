/** The port of a feedback strategy: what it gets, and what it gives. */
import type { VisibleAttempt, VisibleRequest } from '../domain/visible';

export type FeedbackInput = {
  readonly request: VisibleRequest;
  /** The attempt to describe, with execution and verdict where there were any. */
  readonly attempt: VisibleAttempt;
  /** The attempts before it, in order. */
  readonly earlier: readonly VisibleAttempt[];
};

/** Writes what the next prompt says of an attempt; its input has nothing of the hold-outs but one bit. */
export interface IFeedbackStrategy {
  readonly name: string;
  /** Text for the next prompt, within `FEEDBACK_LIMIT` characters. */
  build(input: FeedbackInput): string;
}
