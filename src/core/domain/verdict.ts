/** A verdict on one attempt, and the port that gives it. */
import type * as z from 'zod';
import type { verdictSchema } from '../events/schema';
import type { Frozen } from '../settings';
import type { Execution } from './execution';
import type { RefineRequest } from './request';
import type { Usage } from './model';

export type Verdict = Frozen<z.infer<typeof verdictSchema>>;
export type Evaluation = Verdict['evaluation'];
export type Metric = NonNullable<Verdict['metric']>;

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
  evaluate(
    input: EvaluationInput,
    onUsage: (usage: Usage) => void,
    signal: AbortSignal
  ): Promise<Verdict>;
}

/** A verdict without a score. */
export function unscored(
  evaluator: string,
  evaluation: Evaluation,
  ...reasons: readonly string[]
): Verdict {
  return { evaluator, evaluation, score: null, reasons };
}

/** `4.25 s`, in six digits at most. */
export function formatMetric({
  value,
  unit
}: Pick<Metric, 'value' | 'unit'>): string {
  return `${Number(value.toPrecision(6))}${unit ? ` ${unit}` : ''}`;
}
