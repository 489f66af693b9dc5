/** How a session ended. */
import type { CheckingEvaluator } from './evaluators';
import type { Evaluation, Metric } from './verdict';
import type { RefineErrorKind } from '../errors';
import type { OpenDispute } from './checks/dispute';
import type { Usage } from './model';

export type StopReason =
  | 'passed'
  | 'max-attempts'
  | 'patience'
  | 'target'
  | 'budget'
  | 'timeout'
  | 'stopped'
  | 'rejected'
  | 'kernel-died'
  | 'kernel-restarted'
  | 'model-error'
  /** The model or its content filter refused; the same prompt is not sent again. */
  | 'refused'
  /** A bug of this extension; the error says where to report it. */
  | 'internal-error'
  /** The target was deleted. */
  | 'target-changed'
  /** The model says that a check contradicts the task or another check; the user decides. Never a pass. */
  | 'disputed'
  | 'no-checks'
  /** The error is fixed: the cell runs, and nothing checks it. */
  | 'runs';

export type CheckedBy = CheckingEvaluator | 'none';

/** The best attempt so far: what every exit keeps. */
export type BestAttempt = {
  /** 0 is what the cell held at the start. */
  readonly attempt: number;
  readonly candidate: string;
  /** What the model wrote before it; empty for none. */
  readonly thoughts: string;
  readonly evaluation: Evaluation;
  readonly score: number | null;
  readonly metric?: Metric;
  readonly passed: number;
  readonly total: number;
};

/** A pass repeated in a fresh kernel with the cells above. */
export type CleanResult = {
  readonly passed: boolean;
  /** One sentence. */
  readonly message: string;
};

export type Outcome = {
  readonly passed: boolean;
  readonly checkedBy: CheckedBy;
  readonly stopReason: StopReason;
  readonly best: BestAttempt | null;
  /** Attempts started, attempt 0 not counted. */
  readonly attempts: number;
  /** Set with `disputed`. */
  readonly dispute?: OpenDispute;
  /** Absent: it was not repeated. */
  readonly clean?: CleanResult;
  /** Of a pass: checks that a process confirmed which never ran the candidate, of those that held; see `confirmation()`. */
  readonly confirmed?: { readonly n: number; readonly of: number };
  readonly scoreHistory: readonly (number | null)[];
  readonly usage: Usage;
  /** Wall time spent waiting for models, ms. */
  readonly modelMs: number;
  /** Wall time spent in executions, ms. */
  readonly kernelMs: number;
  /** Set with `model-error`, `refused`, `internal-error` and `kernel-*`: the message for the user. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly kind?: RefineErrorKind;
    /** Of what failed in a fork before the candidate started. */
    readonly traceback?: string;
  };
};

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
