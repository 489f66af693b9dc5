/** Feedback that compares values. */
import { cutMiddle } from '../text/cut';
import {
  countPassed,
  failedAssertions,
  type ObservedValue
} from '../domain/execution';
import type { FeedbackInput } from './strategy';
import { fenced } from '../text/fence';
import type { ContextValues } from '../options';
import { likelyName } from '../events/title';
import type { VisibleAssertion, VisibleExecution } from '../domain/visible';
import {
  cutText,
  executionFeedback,
  errorLine,
  localsLine,
  raisedAt
} from './parts';

/** Assertions reported in full; of further ones the statement only. */
const IN_FULL = 8;

/** Expected against observed, for all failing assertions at once. */
export function diff(input: FeedbackInput): string {
  return executionFeedback(input, execution => {
    return [
      errorText(input, execution),
      cutText(execution, input.attempt.code),
      assertionsText(input, execution)
    ];
  });
}

function errorText(input: FeedbackInput, execution: VisibleExecution): string {
  const { error } = execution;
  if (!error) {
    return '';
  }
  const { request, attempt } = input;
  const values = request.options.contextValues;
  const meant = likelyName(error, request.context.variables);
  return [
    `The cell itself raised ${errorLine(error, values)}${raisedAt(error, attempt.code)}.${execution.assertions.length > 0 ? ' No check was run.' : ''}`,
    meant === null ? '' : `Note: ${meant}.`,
    localsLine(error.locals, values)
  ]
    .filter(text => text !== '')
    .join('\n');
}

function assertionsText(
  input: FeedbackInput,
  execution: VisibleExecution
): string {
  const failed = failedAssertions(execution);
  const { passed, total } = countPassed(execution.assertions);
  if (failed.length === 0) {
    return '';
  }
  const rest = failed.slice(IN_FULL);
  return [
    `${passed} of ${total} checks hold. These do not:`,
    ...failed.slice(0, IN_FULL).map(result => assertionText(input, result)),
    rest.length > 0
      ? `And ${rest.length} more:\n${rest.map(r => `- ${statement(r)}`).join('\n')}`
      : ''
  ]
    .filter(text => text !== '')
    .join('\n\n');
}

function assertionText(input: FeedbackInput, result: VisibleAssertion): string {
  const values = input.request.options.contextValues;
  const lines = [`- ${statement(result)}`];
  const add = (text: string) => {
    if (text !== '') {
      lines.push(text.replace(/^/gm, '  '));
    }
  };
  if (result.expected && result.observed) {
    add(`expected: ${describe(result.expected, values, false)}`);
    add(`observed: ${describe(result.observed, values, true)}`);
  }
  for (const operand of result.operands?.slice(0, 6) ?? []) {
    add(`where ${describe(operand, values, true)}`);
  }
  add(difference(result, values));
  const { error } = result;
  if (error && (result.outcome === 'error' || error.message !== '')) {
    const meant = likelyName(error, input.request.context.variables);
    add(
      `raised ${errorLine(error, values)}${raisedAt(error, input.attempt.code)}${meant === null ? '' : ` — ${meant}`}`
    );
    add(localsLine(error.locals, values));
  }
  return lines.join('\n');
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
  const type = [
    value.type,
    value.shape ? shape(value.shape) : '',
    value.dtype ? `dtype ${value.dtype}` : ''
  ]
    .filter(text => text !== '')
    .join(', ');
  const literal = value.expression.trim() === value.repr.trim();
  const head =
    withExpression && !literal ? `\`${cutMiddle(value.expression, 200)}\`` : '';
  const shown = values === 'none' && !literal ? '' : cutMiddle(value.repr, 600);
  const text = [head, shown].filter(part => part !== '').join(' = ');
  return text === '' ? type : `${text} (${type})`;
}

/** `(3, 2)` is a shape, `3 items` says it itself. */
function shape(text: string): string {
  return text.startsWith('(') ? `shape ${text}` : text;
}

function difference(result: VisibleAssertion, values: ContextValues): string {
  if (values === 'none') {
    return '';
  }
  const words =
    result.difference ??
    (result.expected && result.observed
      ? textDifference(result.expected.repr, result.observed.repr)
      : null);
  return words ? `difference: ${cutMiddle(words, 1200)}` : '';
}

const LONG = 60;
const AROUND = 24;

/** Null when both are short enough to be compared by eye, or are equal. */
function textDifference(expected: string, observed: string): string | null {
  if (
    expected === observed ||
    (expected.length < LONG && observed.length < LONG)
  ) {
    return null;
  }
  const expectedLines = expected.split('\n');
  const observedLines = observed.split('\n');
  if (expectedLines.length > 1 || observedLines.length > 1) {
    const at = firstDifference(expectedLines, observedLines);
    const lines =
      expectedLines.length === observedLines.length
        ? ''
        : ` (${expectedLines.length} ${expectedLines.length === 1 ? 'line' : 'lines'} expected, ${observedLines.length} observed)`;
    return `first at line ${at + 1}: expected ${quote(expectedLines[at])}, observed ${quote(observedLines[at])}${lines}`;
  }
  const at = firstDifference([...expected], [...observed]);
  const from = Math.max(0, at - AROUND);
  const around = (text: string) =>
    quote(
      (from > 0 ? '…' : '') +
        [...text].slice(from, at + AROUND).join('') +
        ([...text].length > at + AROUND ? '…' : '')
    );
  return `first at character ${at + 1}: expected ${around(expected)}, observed ${around(observed)}`;
}

function firstDifference(a: readonly string[], b: readonly string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) {
    i++;
  }
  return i;
}

function quote(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 160));
}
