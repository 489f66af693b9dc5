/** The checks of an execution as lines: tick or cross, and what was expected against what was observed. */
import {
  NO_SEPARATE_PROCESS,
  passConfirmation
} from '../../core/domain/checks/confirmation';
import { isEverywhere } from '../../core/text/confirmationWords';
import type { OpenDispute } from '../../core/domain/outcome';
import type {
  AssertionOutcome,
  AssertionResult,
  Execution,
  ObservedValue,
  ScorerResult
} from '../../core/domain/execution';
import {
  counted,
  errorText,
  oneLine,
  printable,
  significant,
  type Paint,
  type Style
} from './text';

const MARKS: Readonly<Record<AssertionOutcome, readonly [string, Style]>> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  error: ['✗', 'bad'],
  'not-run': ['·', 'dim']
};
const DIFFERENCE_LINES = 12;
const OUTPUT_LINES = 10;

/** What an execution showed, without a margin. */
export function executionLines(
  execution: Execution,
  paint: Paint,
  width: number
): readonly string[] {
  // One that cannot fail did not run either, and says why.
  const ran = execution.assertions.filter(
    a => a.outcome !== 'not-run' || a.difference !== undefined
  );
  const notRun = execution.assertions.length - ran.length;
  const failed = ran.length === 0 || ran.some(a => a.outcome !== 'passed');
  return [
    ...(execution.findings ?? []).map(({ line, message, severity, code }) =>
      paint(
        severity === 'error' ? 'bad' : 'warn',
        `${severity === 'error' ? '✗' : '·'} line ${line}: ${oneLine(`${message} (${code})`, width - 12)}`
      )
    ),
    ...endLines(execution, paint, width),
    ...ran.flatMap(assertion => assertionLines(assertion, paint, width)),
    ...(notRun > 0
      ? [paint('dim', `· ${counted(notRun, 'check')} not run`)]
      : []),
    ...scorerLines(execution, paint, width),
    ...everywhereLines(execution, paint),
    ...(failed ? printedLines(execution, paint) : []),
    ...execution.denied.map(what =>
      paint('warn', `denied: ${printable(what)}`)
    ),
    ...execution.tampering.map(what =>
      paint('bad', `not trusted: ${printable(what)}`)
    ),
    ...execution.warnings.map(what => paint('warn', printable(what)))
  ];
}

/** The check that the model disputes, why, and what the best candidate gives there. */
export function disputeLines(
  { number, check, reason, given }: OpenDispute,
  paint: Paint,
  width: number
): readonly string[] {
  return [
    paint('bad', `The model disputes check ${number}:`),
    ...(given
      ? assertionLines(given.result, paint, width)
      : [`  ${oneLine(check.source, width - 2)}`]),
    `reason: ${printable(reason)}`,
    paint(
      'dim',
      'Edit the check, or say in the prompt that it is right and run again.'
    )
  ];
}

/** Why it did not come to its end: what the candidate raised, or what cut it off. */
function endLines(
  { error, stopMessage, stop }: Execution,
  paint: Paint,
  width: number
): readonly string[] {
  const lines: string[] = [];
  if (error) {
    const where =
      error.candidateLine === undefined ? '' : ` (line ${error.candidateLine})`;
    const what = oneLine(errorText(error), width);
    lines.push(paint('bad', `✗ ${what}${where}`));
  }
  if (stopMessage !== undefined || stop !== undefined) {
    lines.push(paint('bad', `✗ ${printable(stopMessage ?? stop ?? '')}`));
  }
  return lines;
}

/** One line for all checks of a pass, where nothing could confirm any. */
function everywhereLines(
  execution: Execution,
  paint: Paint
): readonly string[] {
  const found = passConfirmation(execution);
  return found && isEverywhere(found)
    ? [paint('warn', `not confirmed: ${NO_SEPARATE_PROCESS}`)]
    : [];
}

function unconfirmedLine(
  { confirmed, unconfirmed }: AssertionResult | ScorerResult,
  paint: Paint,
  width: number
): readonly string[] {
  return confirmed === false
    ? [
        paint(
          'warn',
          `    not confirmed: ${oneLine(unconfirmed ?? '', width - 19)}`
        )
      ]
    : [];
}

function scorerLines(
  { scored }: Execution,
  paint: Paint,
  width: number
): readonly string[] {
  if (!scored) {
    return [];
  }
  const { name, value, unit, goal, comment, error } = scored;
  const better = goal === 'min' ? 'less is better' : 'more is better';
  return [
    value === null
      ? paint(
          'bad',
          `✗ ${printable(name)}: ${error ? oneLine(errorText(error), width) : 'no value'}`
        )
      : `${paint('strong', `${printable(name)} ${significant(value)}${unit ? ` ${printable(unit)}` : ''}`)} ${paint('dim', `(${better})`)}`,
    ...(comment ? [paint('dim', `  ${oneLine(comment, width - 2)}`)] : []),
    ...unconfirmedLine(scored, paint, width)
  ];
}

function assertionLines(
  assertion: AssertionResult,
  paint: Paint,
  width: number
): readonly string[] {
  const [mark, style] = MARKS[assertion.outcome];
  const heldOut = assertion.role === 'holdout' ? 'held out: ' : '';
  const source = assertion.source || `line ${assertion.line}`;
  const head = `${paint(style, mark)} ${heldOut}${oneLine(source, width - heldOut.length - 2)}`;
  if (assertion.outcome === 'passed') {
    return [head, ...unconfirmedLine(assertion, paint, width)];
  }
  const { expected, observed, difference, error } = assertion;
  return [
    head,
    ...valueLines('expected', expected, width),
    ...valueLines('observed', observed, width),
    ...(difference === undefined ? [] : differenceLines(difference)),
    ...(error && error.name !== 'AssertionError'
      ? [`    ${oneLine(errorText(error), width - 4)}`]
      : error?.message && !expected && !observed
        ? [`    ${oneLine(error.message, width - 4)}`]
        : [])
  ];
}

function valueLines(
  label: string,
  value: ObservedValue | undefined,
  width: number
): readonly string[] {
  if (!value) {
    return [];
  }
  const size = value.shape ? ` ${value.shape}` : '';
  const shown = oneLine(value.repr, width - 16 - size.length);
  return [`    ${label}  ${shown}${size}`];
}

function differenceLines(difference: string): readonly string[] {
  const lines = printable(difference).split('\n');
  const shown = lines.slice(0, DIFFERENCE_LINES).map(line => `    ${line}`);
  return lines.length > DIFFERENCE_LINES ? [...shown, '    …'] : shown;
}

/** The end of what it printed, which often says why. */
function printedLines(
  { stdout, stderr }: Execution,
  paint: Paint
): readonly string[] {
  return [stdout, stderr].flatMap(text => {
    const lines = printable(text).trimEnd().split('\n');
    const last = lines.slice(-OUTPUT_LINES);
    const cut = lines.length > last.length ? ['…'] : [];
    return text.trim()
      ? [...cut, ...last].map(l => paint('dim', `» ${l}`))
      : [];
  });
}
