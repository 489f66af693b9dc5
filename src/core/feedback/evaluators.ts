/** What evaluators besides the assertions say, for the next prompt. */
import { cutMiddle } from '../cut';
import type { Verdict } from '../verdict';
import { FEEDBACK_LIMIT } from './parts';

/** Empty when none of them has anything to say. */
export function evaluatorsText(verdict: Verdict | null): string {
  const parts = (verdict?.parts ?? (verdict ? [verdict] : [])).filter(
    part =>
      !['assertions', 'none'].includes(part.evaluator) &&
      part.evaluation !== 'unknown' &&
      part.reasons.length > 0
  );
  return cutMiddle(
    parts
      .map(part => {
        const score =
          part.score === null
            ? ''
            : ` (${Math.round(part.score * 100) / 10} of 10)`;
        const reasons = part.reasons.map(reason => `- ${reason}`).join('\n');
        return `The ${part.evaluator} says${score}:\n${reasons}`;
      })
      .join('\n\n'),
    FEEDBACK_LIMIT
  );
}
