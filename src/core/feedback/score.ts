/** The score and nothing else. */
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { failureFeedback } from './parts';

export const scoreFeedback: IFeedbackStrategy = { name: 'score', build };

function build(input: FeedbackInput): string {
  const failure = failureFeedback(input);
  if (failure !== null) {
    return failure;
  }
  const { verdicts, metric, score } = input.attempt;
  const measured = verdicts.find(p => p.evaluator === 'scorer');
  if (measured) {
    return `The last answer: ${measured.reasons.join(' ')} Improve it.`;
  }
  if (metric) {
    const { name, value, unit, goal } = metric;
    return `The last answer gave ${name} ${value}${unit ? ` ${unit}` : ''}; ${goal === 'min' ? 'less' : 'more'} is better. Improve it.`;
  }
  return score === null
    ? 'The last answer could not be scored. Improve it.'
    : `The last answer scored ${score.toFixed(2)} of 1. Improve it.`;
}
