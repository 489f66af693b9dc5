/** Reads the answer for a code cell while it streams: each line once. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { Shown, type ParseDelta } from './delta';
import { cleanCode, readAnswer } from './reading';
import { withoutPasted, type Cleaned } from './pasted';
import { AnswerScanner } from './scanner';

export class CodeParser implements IAnswerParser {
  constructor(private readonly _options: ParseOptions) {
    this._scanner = new AnswerScanner(_options);
  }

  isClosed = false;

  push(piece: string): ParseDelta | null {
    const text = this._raw === '' ? withoutMark(piece) : piece;
    this._raw += text;
    const [first = '', ...others] = text.split('\n');
    this._partial += first;
    for (const part of others) {
      this._endLine();
      this._partial = part;
    }
    return this._change();
  }

  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._change();
  }

  end(): { answer: ParsedAnswer; delta: ParseDelta | null } {
    if (this._partial !== '') {
      this._endLine();
    }
    const read = readAnswer(
      this._raw,
      this._options,
      this._json ? null : this._scanner
    );
    const answer = {
      ...read,
      thoughts: joinThoughts(this._reasoning, read.thoughts)
    };
    const { code, leftOut } = this._cleaned(answer.code);
    return {
      answer: { ...answer, code, ...(leftOut === '' ? {} : { leftOut }) },
      delta: this._shown.change(answer.thoughts, code)
    };
  }

  private _endLine(): void {
    const line = this._partial.replace(/\r$/, '');
    this._partial = '';
    if (!this._started && line.trim() !== '') {
      this._started = true;
      this._json = /^\s*[{["]/.test(line);
    }
    if (!this._json) {
      this._scanner.feed(line);
      const code = this._scanner.closed;
      // A block of checks alone is not the end: code may follow.
      this.isClosed =
        code !== null && this._cleaned(cleanCode(code)).code !== '';
    }
  }

  /** What is new to show: whole lines of code, and prose as far as it has come. */
  private _change(): ParseDelta | null {
    const { thoughts, streaming } = this._scanner;
    return this._shown.change(
      joinThoughts(this._reasoning, thoughts + this._early()),
      cleanCode(streaming)
    );
  }

  /** What can be shown of a line before it has ended: up to the first `<`, which may start a tag. */
  private _early(): string {
    const line = this._partial;
    // A first line that starts with a brace may be JSON.
    return this._json ||
      (!this._started && !/^\s*[^\s{["]/.test(line)) ||
      !this._scanner.showsAsThought(line)
      ? ''
      : line.replace(/[<\r][^]*$/, '');
  }

  private _cleaned(code: string): Cleaned {
    const { around, needs = [], language, frame } = this._options;
    return around && language === 'python' && !frame
      ? withoutPasted(code, { ...around, needs })
      : { code, leftOut: '' };
  }

  private readonly _scanner: AnswerScanner;
  private readonly _shown = new Shown();
  private _raw = '';
  /** The line that has not ended. */
  private _partial = '';
  private _reasoning = '';
  private _started = false;
  private _json = false;
}
