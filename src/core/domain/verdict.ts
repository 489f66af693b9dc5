/** A verdict on one attempt, and the port that gives it. */
import type { Execution } from './execution';
import type { RefineRequest } from './request';
import type { Usage } from './model';

/** The user-visible form of the first published pattern's PASS / NEEDS_IMPROVEMENT / FAIL. */
export type Evaluation = 'pass' | 'needs-improvement' | 'fail' | 'unknown';

/** A value with its own unit and direction, never mixed with scores in [0, 1]. */
export type Metric = {
  readonly name: string;
  readonly value: number;
  readonly goal: 'min' | 'max';
  readonly unit?: string;
};

export type Verdict = {
  /** Name of the evaluator: `assertions`, `judge` … */
  readonly evaluator: string;
  readonly evaluation: Evaluation;
  /** In [0, 1]; null when nothing could be scored. */
  readonly score: number | null;
  readonly metric?: Metric;
  /** Plain sentences for the user and for feedback. */
  readonly reasons: readonly string[];
  /** Statements that held and all of them, when statements decided. */
  readonly passed?: number;
  readonly total?: number;
  /** The verdicts this one was made of, when several evaluators gave one. */
  readonly parts?: readonly Verdict[];
};

export type EvaluationInput = {
  readonly request: RefineRequest;
  readonly attempt: number;
  readonly candidate: string;
  readonly execution: Execution | null;
  /** What the evaluators before said, together; absent for the first. */
  readonly before?: Verdict;
};

export interface IEvaluator {
  readonly name: string;
  /** Every required evaluator must hold for a pass. */
  readonly required: boolean;
  /** A pass can rest on it where no cell checks the target; default: the trait of its name. */
  readonly canPassAlone?: boolean;
  evaluate(
    input: EvaluationInput,
    onUsage: (usage: Usage) => void,
    signal: AbortSignal
  ): Promise<Verdict>;
}

/** `4.25 s`, in six digits at most. */
export function formatMetric({
  value,
  unit
}: Pick<Metric, 'value' | 'unit'>): string {
  return `${Number(value.toPrecision(6))}${unit ? ` ${unit}` : ''}`;
}
