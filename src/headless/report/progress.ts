/** A session as it happens, from its events: thoughts, code, checks, waits. */
import {
  NO_SEPARATE_PROCESS,
  passConfirmation
} from '../../core/domain/checks/confirmation';
import type { OpenDispute } from '../../core/domain/outcome';
import {
  isEverywhere,
  unconfirmedLabel
} from '../../core/text/confirmationWords';
import { english } from '../../core/text/english';
import type { RefineEvent } from '../../core/events/events';
import type {
  AssertionOutcome,
  AssertionResult,
  Execution,
  Isolation,
  ObservedValue,
  ScorerResult
} from '../../core/domain/execution';
import {
  holdoutSentence,
  isolationSummary,
  openSentences,
  sidecarSentence
} from '../../core/text/isolationWords';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import type { AttemptState, SessionState } from '../../core/events/state';
import type { Verdict } from '../../core/domain/verdict';
import { attemptHeldText, usageText } from './results';
import type { IScreen } from './screen';
import {
  counted,
  errorText,
  oneLine,
  printable,
  significant,
  type Paint,
  type Style
} from './text';

const MARGIN = '  ';
const BAR = '│ ';

export class Progress {
  constructor(private readonly _screen: IScreen) {}

  /** A heading for what follows. */
  title(text: string): void {
    this._screen.line(this._screen.paint('strong', text));
  }

  note(text: string): void {
    this._screen.line(this._screen.paint('dim', text));
  }

  warn(text: string): void {
    this._screen.line(this._screen.paint('warn', text));
  }

  /** An error in full, several lines perhaps. */
  error(text: string): void {
    this._screen.line(this._screen.paint('bad', text));
  }

  /** What it waits for; empty text takes the line away. */
  status(text: string): void {
    this._screen.status(text && this._screen.paint('dim', MARGIN + text));
  }

  /** @param state - the session with this event folded in. */
  event(event: RefineEvent, state: SessionState): void {
    switch (event.type) {
      case 'session-start':
        this._start(event);
        break;
      case 'attempt-start':
        this._attempt(event.attempt, state);
        break;
      case 'candidate-delta': {
        const { thoughts = '', code = '' } =
          this._attemptOf(event, state) ?? {};
        const lines = (thoughts + code).split('\n').length;
        this.status(`the model writes, ${counted(lines, 'line')}`);
        break;
      }
      case 'candidate-end':
        this._written(event.thoughts, 'dim');
        this._written(event.code, null);
        break;
      case 'execution-start':
        this.status('running');
        break;
      case 'assertion-end': {
        const { assertions } = this._attemptOf(event, state) ?? {};
        this.status(
          `running, ${counted(assertions?.length ?? 0, 'check')} done`
        );
        break;
      }
      case 'execution-end':
        this._copies(event.execution.isolation);
        executionLines(event.execution, this._paint, this._width).forEach(
          line => this._line(line)
        );
        break;
      case 'attempt-end': {
        if (event.failure) {
          this._line(
            this._paint('bad', `✗ ${printable(event.failure.message)}`)
          );
        }
        const execution = this._attemptOf(event, state)?.execution ?? null;
        this._opinions(event.verdict, state.warnings);
        const held = attemptHeldText(event.verdict, execution);
        const found = passConfirmation(execution);
        const label = found ? unconfirmedLabel(found, english) : '';
        const seconds = (event.durationMs / 1000).toFixed(1);
        this._line(
          this._paint('strong', held) +
            (label ? this._paint('warn', `, ${label}`) : '') +
            this._paint('dim', `, ${seconds} s`)
        );
        break;
      }
      case 'wait-start':
        if (event.for === 'model') {
          this._say(printable(event.reason));
        } else if (event.for !== 'human') {
          // A question to a human is on the screen already.
          this.status(printable(event.reason));
        }
        break;
      case 'repeat':
        this._say(`same code as attempt ${event.of}`);
        break;
      case 'restart':
        this._say(`fresh start: ${printable(event.reason)}`);
        break;
      case 'tamper':
        this._line(
          this._paint('bad', `not trusted: ${printable(event.message)}`)
        );
        break;
      case 'warning':
        this._line(this._paint('warn', printable(event.message)));
        break;
      case 'session-end':
        if (event.outcome.dispute) {
          disputeLines(event.outcome.dispute, this._paint, this._width).forEach(
            line => this._line(line)
          );
        }
        if (event.outcome.usage.calls > 0) {
          const { maxCost = null } = state.request?.options ?? {};
          this._say(usageText(event.outcome.usage, maxCost !== null));
        }
        break;
      default:
    }
  }

  private _start({
    model,
    isolation,
    request
  }: Extract<RefineEvent, { type: 'session-start' }>): void {
    if (model) {
      this._recorded = model.recorded;
      const host = model.host ? ` at ${model.host}` : '';
      const recorded = model.recorded ? ', recorded answers' : '';
      this._line(`model ${model.profile}/${model.model}${host}${recorded}`);
    }
    this._line(isolationSummary(isolation, english));
    for (const sentence of openSentences(isolation, english)) {
      this._say(printable(sentence));
    }
    const heldOut = holdoutSentence(isolation, english);
    if (request.holdouts.length > 0 && heldOut !== null) {
      this._line(this._paint('warn', heldOut));
    }
  }

  /** What a judge says, and the actions that it asks for. */
  private _opinions(
    verdict: Verdict,
    warnings: SessionState['warnings']
  ): void {
    const said = new Set(warnings.map(({ message }) => message));
    for (const opinion of opinions(verdict)) {
      const style = opinion.evaluation === 'pass' ? 'good' : 'warn';
      this._line(this._paint(style, printable(opinionLine(opinion, english))));
      opinion.reasons
        .filter(reason => !said.has(reason))
        .forEach(reason => this._line(`  - ${printable(reason)}`));
    }
  }

  /** What a second kernel has copies of, once it is known and when it changes. */
  private _copies(isolation: Isolation): void {
    if (isolation.copies) {
      const text = printable(sidecarSentence(isolation.copies, english));
      if (text !== this._lastCopies) {
        this._lastCopies = text;
        this._say(text);
      }
    }
  }

  private _attempt(attempt: number, state: SessionState): void {
    const limit = state.request?.options.maxAttempts ?? attempt;
    if (attempt === 0) {
      this.title('Current code');
      return;
    }
    const heading = `Attempt ${attempt} of ${Math.max(limit, attempt)}`;
    const recorded = this._recorded ? ' (recorded answer)' : '';
    this._screen.line(
      this._paint('strong', heading) + this._paint('dim', recorded)
    );
    this.status('waiting for the model');
  }

  /** What the model wrote, each line behind a bar. */
  private _written(text: string, style: 'dim' | null): void {
    const lines = printable(text).trimEnd();
    for (const line of lines ? lines.split('\n') : []) {
      const shown = style ? this._paint(style, line) : line;
      this._line(this._paint('dim', BAR) + shown);
    }
  }

  private _attemptOf(
    { attempt }: { readonly attempt: number },
    { attempts }: SessionState
  ): AttemptState | undefined {
    return attempts.find(known => known.attempt === attempt);
  }

  private _say(text: string): void {
    this._line(this._paint('dim', text));
  }

  private _line(text: string): void {
    this._screen.line(MARGIN + text.replace(/\n/g, `\n${MARGIN}`));
  }

  private get _paint() {
    return this._screen.paint;
  }

  private get _width() {
    return this._screen.width - MARGIN.length;
  }

  private _recorded = false;
  private _lastCopies = '';
}

const MARKS: Readonly<Record<AssertionOutcome, readonly [string, Style]>> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  error: ['✗', 'bad'],
  'not-run': ['·', 'dim']
};
const DIFFERENCE_LINES = 12;
const OUTPUT_LINES = 10;

/** What an execution showed, without a margin. */
function executionLines(
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
    ...execution.denied.map(what => paint('warn', `denied: ${printable(what)}`))
  ];
}

/** The check that the model disputes, why, and what the best candidate gives there. */
function disputeLines(
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
