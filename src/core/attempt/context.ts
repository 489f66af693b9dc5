/** What the attempts of a session have in common. */
import type { IExecutor } from '../domain/executor';
import type { IFeedbackStrategy } from '../feedback/strategy';
import type { Approve } from '../session/human';
import type { ILanguageModel } from '../domain/model';
import type { RefineRequest } from '../domain/request';
import type { Permits } from '../session/budget/permits';
import type { PlannedCall, Session } from '../session/session';
import type { AttemptState } from '../events/state';
import { repeatedAttempt } from '../stopping/turns';
import type { IEvaluator } from '../domain/verdict';

/** What all attempts of a session share. */
export type AttemptContext = {
  readonly session: Session;
  readonly request: RefineRequest;
  readonly executor: IExecutor;
  readonly evaluators: readonly IEvaluator[];
  readonly feedback: IFeedbackStrategy;
  /** A check is there that can fail. */
  readonly checked: boolean;
  /** Asks for permission to run a candidate; null: none is needed. */
  readonly approve: Approve | null;
  /** What the user allows after a denial. */
  readonly permits: Permits;
  /** True where an execution cannot change the kernel: the same program gives the same result. */
  readonly isolated: boolean;
  readonly times: Times;
  /** Tokens that a prompt may have; learned where a server refuses a longer one. */
  readonly room: { tokens: number };
  /** First attempt of this run: the kernel may have changed since earlier ones. */
  readonly firstAttempt: number;
  /** No prompt follows the attempt of this number. */
  readonly lastAttempt: number;
  /** Follows edits of the checks. */
  readonly revisions: {
    /** What attempts go by from now on: `context` itself while the checks are those it was made for. */
    follow(context: AttemptContext): Promise<AttemptContext>;
  };
  /** The judge's call on each candidate, which must be paid for before that is written; null: no judge is asked. */
  readonly judging: PlannedCall | null;
  /** Condenses feedback where the settings ask for a summary. */
  readonly condenser: ILanguageModel | null;
};

/** Wall time so far, ms. */
export type Times = { modelMs: number; kernelMs: number };

/** The attempt that `code` repeats; in the live kernel every run is a new one. */
export function repeatOf(
  { session, isolated, firstAttempt }: AttemptContext,
  attempt: number,
  code: string
): AttemptState | null {
  return isolated
    ? repeatedAttempt(session.state, code, attempt, firstAttempt)
    : null;
}
