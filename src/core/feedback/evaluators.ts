/** What evaluators besides the assertions say, for the next prompt. */
import { cutMiddle } from '../text/cut';
import { traitsOf } from '../domain/evaluators';
import { countPassed } from '../domain/execution';
import type { Verdict } from '../domain/verdict';
import type { VisibleExecution } from '../domain/visible';
import { FEEDBACK_LIMIT } from './parts';

/** Empty when none of them has anything to say. */
export function evaluatorsText(
  verdicts: readonly Verdict[],
  execution: VisibleExecution | null = null
): string {
  const parts = verdicts.filter(
    ({ evaluator, evaluation, reasons }) =>
      (traitsOf(evaluator).inPrompts === 'all' || evaluation !== 'unknown') &&
      reasons.length > 0
  );
  return cutMiddle(
    parts
      .map(part => {
        const score =
          part.score === null
            ? ''
            : ` (${Math.round(part.score * 100) / 10} of 10)`;
        const reasons = part.reasons.map(reason => `- ${reason}`).join('\n');
        return part.evaluator === 'judge'
          ? `${allHold(execution)}A reviewer still asks:\n${reasons}`
          : `The ${part.evaluator} says${score}:\n${reasons}`;
      })
      .join('\n\n'),
    FEEDBACK_LIMIT
  );
}

function allHold(execution: VisibleExecution | null): string {
  const { passed, total } = countPassed(execution?.assertions ?? []);
  return total === 0 || passed < total
    ? ''
    : total === 1
      ? 'The check holds. '
      : `All ${total} checks hold. `;
}
