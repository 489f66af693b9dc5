/** The verdict of the scorer cell: a value with its own unit and direction. */
import type { ScorerResult } from '../domain/execution';
import {
  formatMetric,
  unscored,
  type IEvaluator,
  type Metric
} from '../domain/verdict';
import { errorLine } from '../feedback/parts';
import type { Session } from '../session/session';

/**
 * Without a target, in the metric's unit, the value is reported, and none is good enough.
 * `unknown` when there is no value: that is neither the worst one nor the best.
 *
 * @param required - a pass needs it: there is a target to reach, or no other evaluator.
 */
export function scorerEvaluator(
  session: Session,
  required: boolean
): IEvaluator {
  const { targetScore: target } = session.request.options;
  const name = 'scorer';
  return {
    name,
    required,
    evaluate: async ({ request, attempt, execution }) => {
      const scored = execution?.scored;
      // The scorer runs after the hold-outs: its words may come from them.
      const withText = request.holdouts.length === 0;
      if (!scored || scored.value === null) {
        const reason = noValue(scored);
        session.warn(reason, attempt);
        const said = withText ? reason : 'The scorer returned no number.';
        return unscored(name, 'unknown', said);
      }
      const { value, goal, unit } = scored;
      const metric = {
        name: scored.name,
        value,
        goal,
        ...(unit ? { unit } : {})
      };
      const isReached = target !== null && reaches(metric, target);
      return {
        evaluator: name,
        evaluation: isReached ? 'pass' : 'needs-improvement',
        score: null,
        metric,
        reasons: [
          ...factsOf(metric, target),
          withText ? (scored.comment?.trim() ?? '') : ''
        ].filter(reason => reason !== '')
      };
    }
  };
}

function factsOf(metric: Metric, target: number | null): readonly string[] {
  const better = metric.goal === 'min' ? 'less' : 'more';
  return [
    `${metric.name} is ${formatMetric(metric)}; ${better} is better.`,
    ...(target === null
      ? []
      : [`The target is ${formatMetric({ ...metric, value: target })}.`])
  ];
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

function reaches({ value, goal }: Metric, target: number): boolean {
  return goal === 'min' ? value <= target : value >= target;
}
