/** Reads an answer that is a part of a cell, as the cell with the part replaced. */
import type { IAnswerParser, ParsedAnswer } from '../parse/answer';
import { Shown, type ParseDelta } from '../parse/delta';
import { withoutPart, withPart, type Frame } from './part';
import { replacement } from './replacement';

/** A block with nothing in it: the lines of the part are to go. */
const EMPTY_BLOCK = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n\s*\1[ \t]*\r?$/m;

export class PartParser implements IAnswerParser {
  /** @param _inner - reads the answer as it is. */
  constructor(
    private readonly _inner: IAnswerParser,
    private readonly _frame: Frame,
    private readonly _language: string
  ) {}

  get isClosed(): boolean {
    return this._inner.isClosed;
  }

  push(text: string): ParseDelta | null {
    this._raw += text;
    return this._take(this._inner.push(text));
  }

  reason(text: string): ParseDelta | null {
    return this._take(this._inner.reason(text));
  }

  end(): { answer: ParsedAnswer; delta: ParseDelta | null } {
    const { answer } = this._inner.end();
    const code =
      answer.code !== ''
        ? this._cell(answer.code)
        : EMPTY_BLOCK.test(this._raw)
          ? withoutPart(this._frame)
          : '';
    return {
      answer: { ...answer, code },
      delta: this._shown.change(answer.thoughts, code)
    };
  }

  private _take(delta: ParseDelta | null): ParseDelta | null {
    if (!delta) {
      return null;
    }
    const { thoughts, code, reset, resetCode } = delta;
    this._thoughts = (reset ? '' : this._thoughts) + thoughts;
    this._code = (reset || resetCode ? '' : this._code) + code;
    return this._shown.change(this._thoughts, this._soFar());
  }

  /** The beginning of the cell, up to what has been written. */
  private _soFar(): string {
    const { before } = this._frame;
    const code = this._code;
    return code === '' || before.startsWith(code) || code.startsWith(before)
      ? code
      : before + code;
  }

  private _cell(code: string): string {
    const text = replacement(this._frame, code, this._language);
    return text === '' ? withoutPart(this._frame) : withPart(this._frame, text);
  }

  private readonly _shown = new Shown();
  private _raw = '';
  private _thoughts = '';
  private _code = '';
}
