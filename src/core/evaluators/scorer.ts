/** The verdict of the scorer cell: a value with its own unit and direction. */
import { errorLine } from '../feedback/parts';
import {
  formatMetric,
  type EvaluationInput,
  type IEvaluator,
  type Metric,
  type Verdict
} from '../domain/verdict';
import type { ScorerResult } from '../domain/execution';

export type ScorerOptions = {
  /** A pass needs it: there is a target to reach, or no other evaluator. */
  readonly required: boolean;
  /** In the metric's unit; null: the value is reported, none is good enough. */
  readonly target: number | null;
  /** The best attempt so far with its metric; null while nothing was measured. */
  readonly best: () => {
    readonly attempt: number;
    readonly metric: Metric;
  } | null;
  readonly warn: (message: string, attempt: number) => void;
};

/** `unknown` when there is no value: that is neither the worst one nor the best. */
export class ScorerEvaluator implements IEvaluator {
  readonly name = 'scorer';
  readonly required: boolean;

  constructor(private readonly _options: ScorerOptions) {
    this.required = _options.required;
  }

  async evaluate({
    request,
    attempt,
    execution
  }: EvaluationInput): Promise<Verdict> {
    const metric = metricOf(execution?.scored);
    // The scorer runs after the hold-outs: its words may come from them.
    const withText = request.holdouts.length === 0;
    if (metric === null) {
      const reason = noValue(execution?.scored);
      this._options.warn(reason, attempt);
      return {
        evaluator: this.name,
        evaluation: 'unknown',
        score: null,
        reasons: [withText ? reason : 'The scorer returned no number.']
      };
    }
    const { target } = this._options;
    return {
      evaluator: this.name,
      evaluation:
        target !== null && reaches(metric, target)
          ? 'pass'
          : 'needs-improvement',
      score: null,
      metric,
      reasons: [
        ...this._facts(metric),
        ...(withText ? commentOf(execution?.scored) : [])
      ]
    };
  }

  private _facts(metric: Metric): readonly string[] {
    const { target } = this._options;
    const { name, goal } = metric;
    const best = this._options.best();
    return [
      goal === 'min'
        ? `${name} is ${formatMetric(metric)}; less is better.`
        : `${name} is ${formatMetric(metric)}; more is better.`,
      ...(target === null
        ? []
        : [`The target is ${formatMetric({ ...metric, value: target })}.`]),
      ...(best === null
        ? []
        : [
            best.attempt === 0
              ? `The best before was ${formatMetric(best.metric)}, of the cell as it was.`
              : `The best before was ${formatMetric(best.metric)}, of attempt ${best.attempt}.`
          ])
    ];
  }
}

function metricOf(scored: ScorerResult | undefined): Metric | null {
  if (!scored || scored.value === null || !Number.isFinite(scored.value)) {
    return null;
  }
  const { name, value, goal, unit } = scored;
  return { name, value, goal, ...(unit ? { unit } : {}) };
}

/** Of an error only the parts about code: its message may quote hidden data. */
function noValue(scored: ScorerResult | undefined): string {
  if (!scored) {
    return 'The scorer did not run.';
  }
  return scored.error
    ? `The scorer raised ${errorLine(scored.error, 'none')}.`
    : 'The scorer returned no number.';
}

function commentOf(scored: ScorerResult | undefined): readonly string[] {
  const comment = scored?.comment?.trim() ?? '';
  return comment === '' ? [] : [comment];
}

function reaches({ value, goal }: Metric, target: number): boolean {
  return goal === 'min' ? value <= target : value >= target;
}
