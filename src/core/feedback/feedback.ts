/** What the next prompt says of an attempt: the strategies by name. */
import { traitsOf } from '../domain/evaluators';
import { countPassed, failedAssertions, isGated } from '../domain/execution';
import type { Verdict } from '../domain/verdict';
import type { VisibleExecution } from '../domain/visible';
import { findingLine } from '../evaluators/static';
import { cutMiddle } from '../text/cut';
import { fenced } from '../text/fence';
import { diff } from './diff';
import {
  bounded,
  cutText,
  errorLine,
  executionFeedback,
  failureFeedback,
  FEEDBACK_LIMIT,
  localsLine,
  raisedAt,
  tracebackBlock
} from './parts';
import type { FeedbackName } from '../settings';
import type { FeedbackInput, IFeedbackStrategy } from './strategy';

const STRATEGIES: Readonly<
  Record<FeedbackName, (input: FeedbackInput) => string>
> = {
  auto,
  raw,
  diff,
  locals,
  score,
  // What the loop lets a model condense: the observed values, and the way to an error.
  summary: input => bounded([diff(input), traceback(input)])
};

export function feedbackStrategy(name: FeedbackName): IFeedbackStrategy {
  return { name, build: STRATEGIES[name] };
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
    strategy.name === 'score' || failure
      ? []
      : [findingsText(execution), evaluatorsText(verdicts, execution)];
  const whole = (text: string) =>
    [text, ...others].filter(part => part !== '').join('\n\n');
  try {
    return { strategy: strategy.name, text: whole(strategy.build(input)) };
  } catch (error) {
    return {
      strategy: 'raw',
      text: whole(raw(input)),
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

/**
 * Expected against observed; the traceback too where an error's place says more
 * than its message.
 */
function auto(input: FeedbackInput): string {
  const text = diff(input);
  if (text === '') {
    return text;
  }
  const again = input.earlier.find(
    other =>
      other.attempt > 0 &&
      other.code.trim() !== '' &&
      other.code.trim() === input.attempt.code.trim()
  );
  return bounded([
    again
      ? `This is the same ${input.request.target.kind === 'code' ? 'program' : 'text'} as attempt ${again.attempt}. Write another one.`
      : '',
    text,
    traceback(input)
  ]);
}

/** Errors that end in library code need the way there; a name or a key does not. */
const PLAIN_ERRORS = new Set([
  'NameError',
  'SyntaxError',
  'IndentationError',
  'TabError',
  'AssertionError',
  'ModuleNotFoundError',
  'ImportError'
]);

function traceback({ request, attempt }: FeedbackInput): string {
  const { execution } = attempt;
  const error =
    execution?.error ??
    execution?.assertions.find(a => a.outcome === 'error')?.error;
  if (!error || PLAIN_ERRORS.has(error.name)) {
    return '';
  }
  const block = tracebackBlock(error, request.options.contextValues, 1600);
  return block.startsWith('`') ? `Traceback:\n\n${block}` : '';
}

/** The tracebacks as the kernel reported them, all failing assertions at once. */
function raw(input: FeedbackInput): string {
  const { request } = input;
  return executionFeedback(input, execution => {
    const values = request.options.contextValues;
    const failed = failedAssertions(execution);
    const share = Math.floor(6000 / Math.max(1, failed.length));
    return [
      execution.error
        ? `Running the cell raised:\n\n${tracebackBlock(execution.error, values, 6000)}`
        : '',
      cutText(execution),
      ...failed.map(result =>
        [
          `This check ${result.outcome === 'error' ? 'raised' : 'failed'}:`,
          fenced(result.source, request.language),
          result.error ? tracebackBlock(result.error, values, share) : ''
        ]
          .filter(text => text !== '')
          .join('\n\n')
      )
    ];
  });
}

/** Each failure with the locals of the frame in which it was raised. */
function locals(input: FeedbackInput): string {
  const { attempt, request } = input;
  return executionFeedback(input, execution => {
    const values = request.options.contextValues;
    const failures = [
      ...(execution.error
        ? [{ source: 'The cell itself', error: execution.error }]
        : []),
      ...failedAssertions(execution).map(result => ({
        source: `\`${result.source.trim().slice(0, 400)}\``,
        error: result.error
      }))
    ];
    return [
      ...failures.map(({ source, error }) =>
        error
          ? [
              `${source} raised ${errorLine(error, values)}${raisedAt(error, attempt.code)}`,
              localsLine(error.locals, values)
            ]
              .filter(line => line !== '')
              .join('\n')
          : `${source} does not hold.`
      ),
      cutText(execution, attempt.code)
    ];
  });
}

/** The score and nothing else. */
function score(input: FeedbackInput): string {
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
