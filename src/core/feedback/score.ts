/** The score and nothing else. */
import type { FeedbackInput, IFeedbackStrategy } from '../feedback';
import { failureFeedback } from './parts';

export const scoreFeedback: IFeedbackStrategy = { name: 'score', build };

function build(input: FeedbackInput): string {
  const failure = failureFeedback(input);
  if (failure !== null) {
    return failure;
  }
  const { verdict } = input.attempt;
  const measured = verdict?.parts?.find(p => p.evaluator === 'scorer');
  if (measured) {
    return `The last answer: ${measured.reasons.join(' ')} Improve it.`;
  }
  if (verdict?.metric) {
    const { name, value, unit, goal } = verdict.metric;
    return `The last answer gave ${name} ${value}${unit ? ` ${unit}` : ''}; ${goal === 'min' ? 'less' : 'more'} is better. Improve it.`;
  }
  return verdict?.score === null || verdict === null
    ? 'The last answer could not be scored. Improve it.'
    : `The last answer scored ${verdict.score.toFixed(2)} of 1. Improve it.`;
}
