/** What the next prompt says of an attempt: the strategies by name. */
import { isGated } from '../domain/execution';
import { autoFeedback, summaryFeedback } from './auto';
import { diffFeedback } from './diff';
import { evaluatorsText } from './evaluators';
import { localsFeedback } from './locals';
import { rawFeedback } from './raw';
import { scoreFeedback } from './score';
import { findingsText } from './static';
import type { FeedbackName } from './names';
import type { FeedbackInput, IFeedbackStrategy } from './strategy';

const STRATEGIES: Readonly<Record<FeedbackName, IFeedbackStrategy>> = {
  auto: autoFeedback,
  raw: rawFeedback,
  diff: diffFeedback,
  locals: localsFeedback,
  score: scoreFeedback,
  // The loop lets a model condense it.
  summary: summaryFeedback
};

export function feedbackStrategy(name: FeedbackName): IFeedbackStrategy {
  return STRATEGIES[name];
}

/**
 * The strategy's text, the raw tracebacks where it has a bug; then what was found
 * in the source and what other evaluators say. Of a candidate that was not run
 * for its source, the findings say all.
 */
export function buildFeedback(
  strategy: IFeedbackStrategy,
  input: FeedbackInput
): {
  readonly strategy: string;
  readonly text: string;
  readonly error?: string;
} {
  const { execution, verdicts, failure } = input.attempt;
  if (execution && isGated(execution)) {
    return { strategy: strategy.name, text: findingsText(execution) };
  }
  const others =
    strategy === scoreFeedback || failure
      ? []
      : [findingsText(execution), evaluatorsText(verdicts, execution)];
  const whole = (text: string) =>
    [text, ...others].filter(part => part !== '').join('\n\n');
  try {
    return { strategy: strategy.name, text: whole(strategy.build(input)) };
  } catch (error) {
    return {
      strategy: rawFeedback.name,
      text: whole(rawFeedback.build(input)),
      error: `The feedback strategy ${strategy.name} failed: ${error instanceof Error ? error.message : String(error)}`
    };
  }
}
