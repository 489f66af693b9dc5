/** What the next prompt says of an attempt: the strategies by name. */
import { traitsOf } from '../domain/evaluators';
import {
  countPassed,
  failedAssertions,
  isGated,
  type ExecutionError,
  type ObservedValue
} from '../domain/execution';
import type { ContextValues, FeedbackName } from '../settings';
import type { Verdict } from '../domain/verdict';
import type {
  FeedbackInput,
  IFeedbackStrategy,
  VisibleAssertion,
  VisibleExecution
} from '../domain/visible';
import { findingLine } from '../evaluators/static';
import { cutMiddle } from '../text/cut';
import { fenced, joined, joinedLines } from '../text/markdown';
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
) {
  const { execution, verdicts, failure } = input.attempt;
  if (execution && isGated(execution)) {
    return { strategy: strategy.name, text: findingsText(execution) };
  }
  const others =
    strategy.name === 'score' || failure
      ? []
      : [findingsText(execution), evaluatorsText(verdicts, execution)];
  const whole = (text: string) => joined([text, ...others]);
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
  return bounded([
    gated
      ? 'The cell was not run: its source cannot run as it is.'
      : 'Seen in its source:',
    findings.map(f => `- ${findingLine(f)}`).join('\n')
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

/** Expected against observed; the traceback too where it says more. */
function auto(input: FeedbackInput): string {
  const text = diff(input);
  return text === '' ? text : bounded([text, traceback(input)]);
}

/**
 * The way to an error that ended in other code, or followed another error. Of one
 * that the cell or the check raised itself, line and message are given already.
 */
function traceback({ request, attempt }: FeedbackInput): string {
  const { execution } = attempt;
  const error =
    execution?.error ??
    execution?.assertions.find(a => a.outcome === 'error')?.error;
  if (!error) {
    return '';
  }
  const files = [...error.traceback.matchAll(/^ *File "(.*?)", line/gm)];
  const own = /^<(?:candidate|check \d+)>$/.test(files.at(-1)?.[1] ?? '');
  if (own && !error.traceback.trim().includes('\n\nTraceback ')) {
    return '';
  }
  const block = tracebackBlock(error, request.options.contextValues, 1600);
  return block.startsWith('`') ? `Traceback:\n\n${block}` : '';
}

/** The tracebacks as the kernel reported them, all failing assertions at once. */
function raw(input: FeedbackInput): string {
  const { language, options } = input.request;
  const values = options.contextValues;
  return executionFeedback(input, execution => {
    const failed = failedAssertions(execution);
    const share = Math.floor(6000 / Math.max(1, failed.length));
    return [
      execution.error
        ? `Running the cell raised:\n\n${tracebackBlock(execution.error, values, 6000)}`
        : '',
      cutText(execution),
      ...failed.map(({ outcome, source, error }) =>
        joined([
          `This check ${outcome === 'error' ? 'raised' : 'failed'}:`,
          fenced(source, language),
          error ? tracebackBlock(error, values, share) : ''
        ])
      )
    ];
  });
}

/** Each failure with the locals of the frame in which it was raised. */
function locals(input: FeedbackInput): string {
  return executionFeedback(input, execution => [
    errorText(input, execution),
    ...failedAssertions(execution).map(result =>
      result.error
        ? raisedText(statement(result), result.error, input)
        : `${statement(result)} does not hold.`
    ),
    cutText(execution)
  ]);
}

/** The score and nothing else. */
function score(input: FeedbackInput): string {
  const failure = failureFeedback(input);
  if (failure !== null) {
    return failure;
  }
  const { verdicts, score } = input.attempt;
  const measured = verdicts.find(p => p.evaluator === 'scorer');
  if (measured) {
    return `The last answer: ${measured.reasons.join(' ')} Improve it.`;
  }
  return score === null
    ? 'The last answer could not be scored. Improve it.'
    : `The last answer scored ${score.toFixed(2)} of 1. Improve it.`;
}

/** Assertions reported in full; of further ones the statement only. */
const IN_FULL = 8;

/** Expected against observed, for all failing assertions at once. */
function diff(input: FeedbackInput): string {
  return executionFeedback(input, execution => [
    errorText(input, execution),
    cutText(execution),
    assertionsText(input, execution)
  ]);
}

const WARNINGS_SHOWN = 3;

/** What Python warned of at lines of the candidate: `invalid value encountered in divide`. */
function warningsText({ stderr }: VisibleExecution): string {
  const shown = [
    ...stderr.matchAll(/^<candidate>:\d+: (\w*Warning: .*)\n[ \t]+(\S.*)$/gm)
  ].map(([, warning, line]) => `\`${line}\` gave ${warning}`);
  return cutMiddle(
    joinedLines([...new Set(shown)].slice(0, WARNINGS_SHOWN)),
    WARNINGS_SHOWN * 200
  );
}

function errorText(input: FeedbackInput, execution: VisibleExecution): string {
  const { error, assertions } = execution;
  const rest = assertions.length > 0 ? ' No check was run.' : '';
  return error ? raisedText('The cell itself', error, input, `.${rest}`) : '';
}

/** What raised an error, and the variables there. */
function raisedText(
  what: string,
  error: ExecutionError,
  { attempt, request }: FeedbackInput,
  end = '.'
): string {
  const values = request.options.contextValues;
  return joinedLines([
    `${what} raised ${errorLine(error, values)}${raisedAt(error, attempt.code)}${end}`,
    localsLine(error.locals, values)
  ]);
}

function assertionsText(
  input: FeedbackInput,
  execution: VisibleExecution
): string {
  const { request } = input;
  const failed = failedAssertions(execution);
  const { passed, total } = countPassed(execution.assertions);
  if (failed.length === 0) {
    return '';
  }
  const rest = failed.slice(IN_FULL);
  const errors = failed.map(({ outcome, error }) =>
    outcome === 'error' && error
      ? `${error.candidateLine} ${error.name} ${error.message}`
      : ''
  );
  return joined([
    `${passed} of ${total} checks hold. These do not:`,
    ...failed
      .slice(0, IN_FULL)
      .map((result, i) =>
        errors[i] && errors.indexOf(errors[i]) < i
          ? `- ${statement(result)}: the same`
          : assertionText(input, result)
      ),
    rest.length > 0
      ? `And ${rest.length} more:\n${rest.map(r => `- ${statement(r)}`).join('\n')}`
      : '',
    request.options.contextValues === 'none' ? '' : warningsText(execution)
  ]);
}

function assertionText(input: FeedbackInput, result: VisibleAssertion): string {
  const values = input.request.options.contextValues;
  const brief = values === 'none' ? null : briefly(result);
  if (brief !== null) {
    return `- ${brief}`;
  }
  const { expected, observed, operands = [], difference } = result;
  const { error, outcome } = result;
  const raised = error && (outcome === 'error' || error.message !== '');
  const at = lineOfCheck(result);
  const facts = [
    at && `at \`${cutMiddle(at, 200)}\``,
    ...(expected && observed
      ? [
          `expected: ${describe(expected, values, false)}`,
          `observed: ${describe(observed, values, true)}`
        ]
      : []),
    ...operands.slice(0, 6).map(one => `where ${describe(one, values, true)}`),
    // Of an error, it repeats what was raised.
    difference && values !== 'none' && outcome !== 'error'
      ? `difference: ${cutMiddle(difference, 1200)}`
      : '',
    raised
      ? `raised ${errorLine(error, values)}${raisedAt(error, input.attempt.code)}`
      : '',
    raised ? localsLine(error.locals, values) : ''
  ];
  return joinedLines([
    `- ${statement(result)}`,
    ...facts.map(text => text && text.replace(/^/gm, '  '))
  ]);
}

/** Of a check of several lines, or a test, the line that did not hold; else empty. */
function lineOfCheck({ source, error }: VisibleAssertion): string {
  const lines = error?.traceback.matchAll(/File "<check \d+>".*\n +(\S.*)/g);
  const [, line = ''] = [...(lines ?? [])].at(-1) ?? [];
  return source.trim() === line ? '' : line;
}

/** Characters of a value that is read at a glance. */
const SHORT = 60;

/** Of two short values, with the types where they differ; null for what needs more than a line. */
function briefly(result: VisibleAssertion): string | null {
  const { source, outcome, expected, observed, operands, error } = result;
  const isShort = ({ repr, shape }: ObservedValue) =>
    repr.length < SHORT && !repr.includes('\n') && !shape?.startsWith('(');
  if (
    outcome === 'error' ||
    error?.message ||
    operands?.length ||
    !expected ||
    !observed ||
    !isShort(expected) ||
    !isShort(observed) ||
    source.trim().includes('\n')
  ) {
    return null;
  }
  const shown = ({ repr, type }: ObservedValue) =>
    expected.type === observed.type ? repr : `${repr} (${type})`;
  // The check itself is in the prompt.
  const what =
    result.operator === '=='
      ? `\`${cutMiddle(observed.expression, 200)}\``
      : statement(result);
  return `${what}: observed ${shown(observed)}, expected ${shown(expected)}`;
}

function statement(result: VisibleAssertion): string {
  const source = result.source.trim();
  return source.includes('\n')
    ? `\n${fenced(cutMiddle(source, 600))}`.replace(/\n/g, '\n  ')
    : `\`${cutMiddle(source, 400)}\``;
}

/** `fibonacci(10) = 54 (int)`; without the value where values must not be sent. */
function describe(
  value: ObservedValue,
  values: ContextValues,
  withExpression: boolean
): string {
  // `(3, 2)` is a shape, `3 items` says it itself.
  const shape = value.shape?.replace(/^\(/, 'shape (') ?? '';
  const dtype = value.dtype ? `dtype ${value.dtype}` : '';
  const type = joined([value.type, shape, dtype], ', ');
  const literal = value.expression.trim() === value.repr.trim();
  const head =
    withExpression && !literal ? `\`${cutMiddle(value.expression, 200)}\`` : '';
  const shown = values === 'none' && !literal ? '' : cutMiddle(value.repr, 600);
  const text = joined([head, shown], ' = ');
  return text === '' ? type : `${text} (${type})`;
}
