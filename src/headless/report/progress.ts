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
  ObservedValue,
  ScorerResult
} from '../../core/domain/execution';
import {
  holdoutSentence,
  isolationSentences,
  isolationSummary
} from '../../core/text/isolationWords';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import type { AttemptState, SessionState } from '../../core/events/state';
import type { Verdict } from '../../core/domain/verdict';
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
const BAR = '│ ';
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
        this._execution(event.execution);
        break;
      case 'attempt-end': {
        if (event.failure) {
          this._bad(event.failure.message);
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
          this._dispute(event.outcome.dispute);
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
    for (const sentence of isolationSentences(isolation, english, false)) {
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

  /** What an execution showed. */
  private _execution(execution: Execution): void {
    const { error, stop, stopMessage, assertions } = execution;
    for (const { line, message, severity, code } of execution.findings ?? []) {
      const isError = severity === 'error';
      const what = oneLine(`${message} (${code})`, this._width - 12);
      this._line(
        this._paint(
          isError ? 'bad' : 'warn',
          `${isError ? '✗' : '·'} line ${line}: ${what}`
        )
      );
    }
    if (error) {
      const { candidateLine } = error;
      const where =
        candidateLine === undefined ? '' : ` (line ${candidateLine})`;
      this._bad(`${oneLine(errorText(error), this._width)}${where}`);
    }
    if (stopMessage !== undefined || stop !== undefined) {
      this._bad(stopMessage ?? stop ?? '');
    }
    // One that cannot fail did not run either, and says why.
    const ran = assertions.filter(
      a => a.outcome !== 'not-run' || a.difference !== undefined
    );
    ran.forEach(assertion => this._assertion(assertion));
    if (ran.length < assertions.length) {
      const notRun = counted(assertions.length - ran.length, 'check');
      this._say(`· ${notRun} not run`);
    }
    if (execution.scored) {
      this._scorer(execution.scored);
    }
    const found = passConfirmation(execution);
    if (found && isEverywhere(found)) {
      // One line for all checks of a pass, where nothing could confirm any.
      this._line(this._paint('warn', `not confirmed: ${NO_SEPARATE_PROCESS}`));
    }
    if (ran.length === 0 || ran.some(a => a.outcome !== 'passed')) {
      this._printed(execution.stdout);
      this._printed(execution.stderr);
    }
    for (const what of execution.denied) {
      this._line(this._paint('warn', `denied: ${printable(what)}`));
    }
  }

  private _assertion(assertion: AssertionResult): void {
    const { role, outcome, expected, observed, difference, error } = assertion;
    const [mark, style] = MARKS[outcome];
    const heldOut = role === 'holdout' ? 'held out: ' : '';
    const source = oneLine(
      assertion.source || `line ${assertion.line}`,
      this._width - heldOut.length - 2
    );
    this._line(`${this._paint(style, mark)} ${heldOut}${source}`);
    if (outcome === 'passed') {
      this._unconfirmed(assertion);
      return;
    }
    this._value('expected', expected);
    this._value('observed', observed);
    if (difference !== undefined) {
      const lines = printable(difference).split('\n');
      lines
        .slice(0, DIFFERENCE_LINES)
        .concat(lines.length > DIFFERENCE_LINES ? '…' : [])
        .forEach(line => this._line(`    ${line}`));
    }
    const isPlain = error?.name === 'AssertionError';
    const what = isPlain
      ? expected || observed
        ? ''
        : error.message
      : error && errorText(error);
    if (what) {
      this._line(`    ${oneLine(what, this._width - 4)}`);
    }
  }

  private _value(label: string, value: ObservedValue | undefined): void {
    if (value) {
      const size = value.shape ? ` ${value.shape}` : '';
      const shown = oneLine(value.repr, this._width - 16 - size.length);
      this._line(`    ${label}  ${shown}${size}`);
    }
  }

  private _unconfirmed(result: AssertionResult | ScorerResult): void {
    if (result.confirmed === false) {
      const why = oneLine(result.unconfirmed ?? '', this._width - 19);
      this._line(this._paint('warn', `    not confirmed: ${why}`));
    }
  }

  private _scorer(scored: ScorerResult): void {
    const { value, unit, goal, comment, error } = scored;
    const name = printable(scored.name);
    if (value === null) {
      const why = error ? oneLine(errorText(error), this._width) : 'no value';
      this._bad(`${name}: ${why}`);
    } else {
      const better = goal === 'min' ? 'less is better' : 'more is better';
      const measured = `${name} ${significant(value)}${unit ? ` ${printable(unit)}` : ''}`;
      this._line(
        `${this._paint('strong', measured)} ${this._paint('dim', `(${better})`)}`
      );
    }
    if (comment) {
      this._say(`  ${oneLine(comment, this._width - 2)}`);
    }
    this._unconfirmed(scored);
  }

  /** The end of what it printed, which often says why. */
  private _printed(text: string): void {
    const lines = text.trim() ? printable(text).trimEnd().split('\n') : [];
    if (lines.length > OUTPUT_LINES) {
      this._say('» …');
    }
    lines.slice(-OUTPUT_LINES).forEach(line => this._say(`» ${line}`));
  }

  /** The check that the model disputes, why, and what the best candidate gives there. */
  private _dispute({ number, check, reason, given }: OpenDispute): void {
    this._line(this._paint('bad', `The model disputes check ${number}:`));
    if (given) {
      this._assertion(given.result);
    } else {
      this._line(`  ${oneLine(check.source, this._width - 2)}`);
    }
    this._line(`reason: ${printable(reason)}`);
    this._say(
      'Edit the check, or say in the prompt that it is right and run again.'
    );
  }

  private _attemptOf(
    { attempt }: { readonly attempt: number },
    { attempts }: SessionState
  ): AttemptState | undefined {
    return attempts.find(known => known.attempt === attempt);
  }

  private _bad(text: string): void {
    this._line(this._paint('bad', `✗ ${printable(text)}`));
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
}
