/** What the next prompt says of an attempt: the strategies by name. */
import { isGated, countPassed } from '../domain/execution';
import { autoFeedback, summaryFeedback } from './auto';
import { diffFeedback } from './diff';
import { localsFeedback } from './locals';
import { rawFeedback } from './raw';
import { scoreFeedback } from './score';
import type { FeedbackName } from './names';
import type { FeedbackInput, IFeedbackStrategy } from './strategy';
import { findingLine } from '../evaluators/static';
import type { VisibleExecution } from '../domain/visible';
import { bounded, FEEDBACK_LIMIT } from './parts';
import { cutMiddle } from '../text/cut';
import { traitsOf } from '../domain/evaluators';
import type { Verdict } from '../domain/verdict';

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

const FINDINGS_TOLD = 20;

/** Empty without static checks or findings. */
function findingsText(execution: VisibleExecution | null): string {
  const gated = execution !== null && isGated(execution);
  // A syntax error that was run has been raised, and is reported as such.
  const findings = (execution?.findings ?? []).filter(
    f => gated || f.code !== 'syntax'
  );
  if (findings.length === 0) {
    return '';
  }
  const left = findings.length - FINDINGS_TOLD;
  return bounded([
    gated
      ? 'The cell was not run: its source cannot run as it is.'
      : 'Seen in its source:',
    [
      ...findings.slice(0, FINDINGS_TOLD).map(f => `- ${findingLine(f)}`),
      ...(left > 0 ? [`- and ${left} more`] : [])
    ].join('\n')
  ]);
}

/** Empty when none of them has anything to say. */
function evaluatorsText(
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
