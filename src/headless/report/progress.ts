/** A session as it happens, from its events: thoughts, code, checks, waits. */
import {
  NO_SEPARATE_PROCESS,
  passConfirmation
} from '../../core/domain/checks/confirmation';
import {
  isEverywhere,
  unconfirmedLabel
} from '../../core/text/confirmationWords';
import { english } from '../../core/text/english';
import type { RefineEvent } from '../../core/events/events';
import {
  toAllow,
  type AssertionOutcome,
  type AssertionResult,
  type Execution,
  type ObservedValue,
  type ScorerResult
} from '../../core/domain/execution';
import {
  holdoutSentence,
  isolationSentences,
  isolationSummary
} from '../../core/text/isolationWords';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import type { SessionState } from '../../core/events/state';
import { attemptHeldText, usageText } from './results';
import {
  type IScreen,
  counted,
  errorText,
  oneLine,
  printable,
  significant,
  type Style
} from './screen';

const MARGIN = '  ';
const MARKS: Readonly<Record<AssertionOutcome, readonly [string, Style]>> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  error: ['✗', 'bad'],
  'not-run': ['·', 'dim']
};
const DIFFERENCE_LINES = 12;
const OUTPUT_LINES = 10;

export class Progress {
  constructor(private readonly _screen: IScreen) {}

  /** A heading for what follows. */
  title(text: string): void {
    this._screen.line(text, 'strong');
  }

  note(text: string): void {
    this._screen.line(text, 'dim');
  }

  warn(text: string): void {
    this._screen.line(text, 'warn');
  }

  /** An error in full, several lines perhaps. */
  error(text: string): void {
    this._screen.line(text, 'bad');
  }

  /** What it waits for; empty text takes the line away. */
  status(text: string): void {
    this._screen.status(text && MARGIN + text);
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
      case 'candidate-delta':
        this.status('the model writes');
        break;
      case 'candidate-end':
        this._written(event.thoughts, 'dim');
        this._written(event.code);
        break;
      case 'execution-start':
        this.status('running');
        break;
      case 'execution-end':
        this._execution(event.execution);
        break;
      case 'attempt-end':
        this._attemptEnd(event, state);
        break;
      case 'wait-start':
        if (event.for === 'model') {
          this._line(event.reason, 'dim');
        } else if (event.for !== 'human') {
          // A question to a human is on the screen already.
          this.status(event.reason);
        }
        break;
      case 'repeat':
        this._line(`same code as attempt ${event.of}`, 'dim');
        break;
      case 'restart':
        this._line(`fresh start: ${event.reason}`, 'dim');
        break;
      case 'tamper':
        this._line(`not trusted: ${event.message}`, 'bad');
        break;
      case 'warning':
        this._line(event.message, 'warn');
        break;
      case 'session-end':
        if (event.outcome.usage.calls > 0) {
          this._line(usageText(event.outcome.usage), 'dim');
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
      const host = model.host ? ` at ${model.host}` : '';
      const recorded = model.recorded ? ', recorded answers' : '';
      this._line(`model ${model.profile}/${model.model}${host}${recorded}`);
    }
    this._line(isolationSummary(isolation, english));
    for (const sentence of isolationSentences(isolation, english, false)) {
      this._line(sentence, 'dim');
    }
    const heldOut = holdoutSentence(isolation, english);
    if (request.holdouts.length > 0 && heldOut !== null) {
      this._line(heldOut, 'warn');
    }
  }

  private _attempt(attempt: number, state: SessionState): void {
    if (attempt === 0) {
      this.title('Current code');
      return;
    }
    const limit = state.request?.options.maxAttempts ?? attempt;
    const recorded = state.model?.recorded ? ' (recorded answer)' : '';
    this.title(`Attempt ${attempt} of ${Math.max(limit, attempt)}${recorded}`);
    this.status('waiting for the model');
  }

  private _attemptEnd(
    {
      attempt,
      failure,
      verdict,
      durationMs
    }: Extract<RefineEvent, { type: 'attempt-end' }>,
    { attempts, warnings }: SessionState
  ): void {
    if (failure) {
      this._line(`✗ ${failure.message}`, 'bad');
    }
    // What a judge says, and the actions that it asks for.
    const said = new Set(warnings.map(({ message }) => message));
    for (const opinion of opinions(verdict)) {
      const isGood = opinion.evaluation === 'pass';
      this._line(opinionLine(opinion, english), isGood ? 'good' : 'warn');
      opinion.reasons
        .filter(reason => !said.has(reason))
        .forEach(reason => this._line(`  - ${reason}`));
    }
    const { execution = null } =
      attempts.find(known => known.attempt === attempt) ?? {};
    const found = passConfirmation(execution);
    const label = found ? unconfirmedLabel(found, english) : '';
    const held = attemptHeldText(verdict, execution);
    this._line(
      [held, label, `${(durationMs / 1000).toFixed(1)} s`]
        .filter(Boolean)
        .join(', '),
      label ? 'warn' : 'strong'
    );
  }

  /** What the model wrote, each line behind a bar. */
  private _written(text: string, style?: Style): void {
    const lines = printable(text).trimEnd();
    for (const line of lines ? lines.split('\n') : []) {
      this._line(`│ ${line}`, style);
    }
  }

  /** What an execution showed. */
  private _execution(execution: Execution): void {
    const { error, stop, stopMessage, assertions } = execution;
    for (const { line, message, severity, code } of execution.findings ?? []) {
      const what = `line ${line}: ${this._cut(`${message} (${code})`, 12)}`;
      const isError = severity === 'error';
      this._line(`${isError ? '✗' : '·'} ${what}`, isError ? 'bad' : 'warn');
    }
    if (error) {
      const where =
        error.candidateLine === undefined
          ? ''
          : ` (line ${error.candidateLine})`;
      this._line(`✗ ${this._cut(errorText(error))}${where}`, 'bad');
    }
    if (stopMessage !== undefined || stop !== undefined) {
      this._line(`✗ ${stopMessage ?? stop}`, 'bad');
    }
    // One that cannot fail did not run either, and says why.
    const ran = assertions.filter(
      a => a.outcome !== 'not-run' || a.difference !== undefined
    );
    ran.forEach(assertion => this._assertion(assertion));
    if (ran.length < assertions.length) {
      const notRun = counted(assertions.length - ran.length, 'check');
      this._line(`· ${notRun} not run`, 'dim');
    }
    if (execution.scored) {
      this._scorer(execution.scored);
    }
    const found = passConfirmation(execution);
    if (found && isEverywhere(found)) {
      // One line for all checks of a pass, where nothing could confirm any.
      this._line(`not confirmed: ${NO_SEPARATE_PROCESS}`, 'warn');
    }
    if (ran.length === 0 || ran.some(a => a.outcome !== 'passed')) {
      this._printed(execution.stdout);
      this._printed(execution.stderr);
    }
    for (const what of execution.denied) {
      this._line(`denied: ${what}`, 'warn');
    }
    const wanted = toAllow(execution);
    if (wanted !== null) {
      this._line(`--allow-${wanted} allows it.`, 'warn');
    }
  }

  private _assertion(assertion: AssertionResult): void {
    const { role, outcome, expected, observed, difference, error } = assertion;
    const [mark, style] = MARKS[outcome];
    const heldOut = role === 'holdout' ? 'held out: ' : '';
    const source = assertion.source || `line ${assertion.line}`;
    this._line(`${mark} ${this._cut(`${heldOut}${source}`, 2)}`, style);
    if (outcome === 'passed') {
      this._unconfirmed(assertion);
      return;
    }
    this._value('expected', expected);
    this._value('observed', observed);
    if (difference !== undefined) {
      const lines = printable(difference).split('\n');
      const more = lines.length > DIFFERENCE_LINES ? ['…'] : [];
      [...lines.slice(0, DIFFERENCE_LINES), ...more].forEach(line =>
        this._line(`    ${line}`)
      );
    }
    const isPlain = error?.name === 'AssertionError';
    const what = isPlain
      ? expected || observed
        ? ''
        : error.message
      : error && errorText(error);
    if (what) {
      this._line(`    ${this._cut(what, 4)}`);
    }
  }

  private _value(label: string, value: ObservedValue | undefined): void {
    if (value) {
      const size = value.shape ? ` ${value.shape}` : '';
      const shown = this._cut(value.repr, 16 + size.length);
      this._line(`    ${label}  ${shown}${size}`);
    }
  }

  private _unconfirmed(result: AssertionResult | ScorerResult): void {
    if (result.confirmed === false) {
      const why = this._cut(result.unconfirmed ?? '', 19);
      this._line(`    not confirmed: ${why}`, 'warn');
    }
  }

  private _scorer(scored: ScorerResult): void {
    const { name, value, unit = '', goal, comment, error } = scored;
    if (value === null) {
      const why = error ? this._cut(errorText(error)) : 'no value';
      this._line(`✗ ${name}: ${why}`, 'bad');
    } else {
      const better = goal === 'min' ? 'less is better' : 'more is better';
      const measured = `${significant(value)} ${unit}`.trim();
      this._line(`${name} ${measured} (${better})`, 'strong');
    }
    if (comment) {
      this._line(`  ${this._cut(comment, 2)}`, 'dim');
    }
    this._unconfirmed(scored);
  }

  /** The end of what it printed, which often says why. */
  private _printed(text: string): void {
    const lines = text.trim() ? printable(text).trimEnd().split('\n') : [];
    const more = lines.length > OUTPUT_LINES ? ['…'] : [];
    [...more, ...lines.slice(-OUTPUT_LINES)].forEach(line =>
      this._line(`» ${line}`, 'dim')
    );
  }

  private _line(text: string, style?: Style): void {
    this._screen.line(MARGIN + text.replace(/\n/g, `\n${MARGIN}`), style);
  }

  /** The first line of a text, for a line with so many other characters. */
  private _cut(text: string, others = 0): string {
    return oneLine(text, this._screen.width - MARGIN.length - others);
  }
}
