/** A session as it happens, from its events: thoughts, code, checks, waits. */
import { passConfirmation } from '../../core/domain/checks/confirmation';
import { unconfirmedLabel } from '../../core/text/confirmationWords';
import { english } from '../../core/text/english';
import type { RefineEvent } from '../../core/events/events';
import type { Execution, Isolation } from '../../core/domain/execution';
import {
  holdoutSentence,
  isolationSummary,
  openSentences,
  sidecarSentence
} from '../../core/text/isolationWords';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import type { SessionState } from '../../core/events/state';
import type { Verdict } from '../../core/domain/verdict';
import { disputeLines, executionLines } from './assertionLines';
import { attemptHeldText, usageText } from './results';
import type { IScreen } from './screen';
import { counted, printable } from './text';

type Section = 'thoughts' | 'code' | null;
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
        this._start(event.model, event.isolation);
        if (event.request.holdouts.length > 0) {
          this._warnOfHoldouts(event.isolation);
        }
        break;
      case 'attempt-start':
        this._section = null;
        this._shown = false;
        this._attempt(event.attempt, state);
        break;
      case 'candidate-delta':
        if (event.resetCode) {
          this._say(
            state.request?.target.kind === 'markdown'
              ? 'the text above is replaced'
              : 'a later code block replaces the one above'
          );
        }
        this._stream('thoughts', event.thoughts);
        this._stream('code', event.code);
        break;
      case 'candidate-end':
        if (!this._shown && event.code) {
          this._stream('code', event.code);
        }
        this._leaveSection();
        break;
      case 'execution-start':
        this.status('running');
        break;
      case 'assertion-end': {
        const { assertions } =
          state.attempts.find(a => a.attempt === event.attempt) ?? {};
        this.status(
          `running, ${counted(assertions?.length ?? 0, 'check')} done`
        );
        break;
      }
      case 'execution-end':
        this._ofExecution = new Set([
          ...event.execution.tampering,
          ...event.execution.warnings
        ]);
        this._copies(event.execution.isolation);
        this._ran(event.execution);
        break;
      case 'attempt-end': {
        this._leaveSection();
        if (event.failure) {
          this._line(
            this._paint('bad', `✗ ${printable(event.failure.message)}`)
          );
        }
        const execution =
          state.attempts.find(a => a.attempt === event.attempt)?.execution ??
          null;
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
        if (this._ofExecution.has(event.message)) {
          break;
        }
        this._line(
          this._paint('bad', `not trusted: ${printable(event.message)}`)
        );
        break;
      case 'warning':
        if (
          event.attempt !== undefined &&
          this._ofExecution.has(event.message)
        ) {
          break;
        }
        this._leaveSection();
        this._line(this._paint('warn', printable(event.message)));
        break;
      case 'execution-output':
      case 'verdict-end':
      case 'feedback-end':
      case 'model-call':
      case 'dispute':
      case 'explanation':
      case 'usage':
      case 'wait-end':
      case 'hint':
      case 'base':
      case 'pause':
      case 'permission':
      case 'fresh-kernel':
      case 'acceptance':
        break;
      case 'session-end':
        this._leaveSection();
        if (event.outcome.dispute) {
          disputeLines(
            event.outcome.dispute,
            this._screen.paint,
            this._screen.width - MARGIN.length
          ).forEach(line => this._line(line));
        }
        if (event.outcome.usage.calls > 0) {
          const { maxCost = null } = state.request?.options ?? {};
          const text = usageText(event.outcome.usage, maxCost !== null);
          this._line(this._paint('dim', text));
        }
        break;
    }
  }

  private _start(
    model: {
      readonly profile: string;
      readonly model: string;
      readonly host: string;
      readonly recorded: boolean;
    } | null,
    isolation: Isolation
  ): void {
    if (model) {
      this._recorded = model.recorded;
      const host = model.host ? ` at ${model.host}` : '';
      const recorded = model.recorded ? ', recorded answers' : '';
      this._line(`model ${model.profile}/${model.model}${host}${recorded}`);
    }
    this._line(isolationSummary(isolation, english));
    for (const sentence of openSentences(isolation, english)) {
      this._line(this._paint('dim', printable(sentence)));
    }
  }

  private _warnOfHoldouts(isolation: Isolation): void {
    const sentence = holdoutSentence(isolation, english);
    if (sentence !== null) {
      this._line(this._paint('warn', sentence));
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
    const recorded = this._recorded
      ? this._paint('dim', ' (recorded answer)')
      : '';
    this._screen.line(
      attempt === 0
        ? this._paint('strong', 'Current code')
        : this._paint(
            'strong',
            `Attempt ${attempt} of ${Math.max(limit, attempt)}`
          ) + recorded
    );
    if (attempt > 0) {
      this.status('waiting for the model');
    }
  }

  /** Text of a section as it comes, each line behind a bar. */
  private _stream(section: 'thoughts' | 'code', text: string): void {
    if (!text) {
      return;
    }
    if (section !== this._section) {
      this._leaveSection();
      this._section = section;
      this._atLineStart = true;
    }
    this._shown ||= section === 'code';
    const style = section === 'thoughts' ? 'dim' : null;
    for (const piece of printable(text).split(/(?<=\n)/)) {
      if (piece) {
        const bar = this._atLineStart ? MARGIN + this._paint('dim', BAR) : '';
        const body = piece.replace(/\n$/, '');
        const end = piece.endsWith('\n') ? '\n' : '';
        this._screen.part(
          bar + (style ? this._paint(style, body) : body) + end
        );
        this._atLineStart = end !== '';
      }
    }
  }

  private _leaveSection(): void {
    this._screen.endLine();
    this._section = null;
  }

  private _ran(execution: Execution): void {
    const width = this._screen.width - MARGIN.length;
    executionLines(execution, this._screen.paint, width).forEach(line =>
      this._line(line)
    );
  }

  private _say(text: string): void {
    this._leaveSection();
    this._line(this._paint('dim', text));
  }

  private _line(text: string): void {
    this._screen.line(MARGIN + text.replace(/\n/g, `\n${MARGIN}`));
  }

  private get _paint() {
    return this._screen.paint;
  }

  private _recorded = false;
  private _shown = false;
  private _section: Section = null;
  private _atLineStart = true;
  /** Printed among the lines of the last execution, and events of their own. */
  private _ofExecution: ReadonlySet<string> = new Set();
  private _lastCopies = '';
}
