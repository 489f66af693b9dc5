/** Reads the answer for a markdown cell while it streams. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer
} from './answer';
import { Shown, type ParseDelta } from './delta';
import { readProse } from './prose';

/** Characters after which the answer is read again. */
const READ_AGAIN = 48;

export class ProseParser implements IAnswerParser {
  /** @param previous - the text that the answer is to replace. */
  constructor(private readonly _previous = '') {}

  readonly closed = null;
  readonly open = null;

  push(piece: string): ParseDelta | null {
    const text = this._text === '' ? withoutMark(piece) : piece;
    this._text += text;
    this._unread += text.length;
    // All of it is read each time, so not for every few characters; JSON shows nothing until it is whole.
    return (this._unread < READ_AGAIN && !text.includes('\n')) ||
      /^\s*\{/.test(this._text)
      ? null
      : this._delta();
  }

  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._delta();
  }

  end(): { answer: ParsedAnswer; delta: ParseDelta | null } {
    const { thoughts, prose } = this._read();
    return {
      answer: { thoughts, code: prose, closed: false },
      delta: this._delta()
    };
  }

  private _read() {
    const { thoughts, prose } = readProse(this._text, this._previous);
    return { thoughts: joinThoughts(this._reasoning, thoughts), prose };
  }

  private _delta(): ParseDelta | null {
    this._unread = 0;
    const { thoughts, prose } = this._read();
    return this._shown.change(thoughts, prose);
  }

  private readonly _shown = new Shown();
  private _text = '';
  private _unread = 0;
  private _reasoning = '';
}
