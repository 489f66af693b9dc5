/** Reads the answer for a markdown cell while it streams. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer,
  type ParseOptions
} from '../answer';
import { Shown, type ParseDelta } from '../delta';
import { readProse } from './prose';
import { scan } from '../reading';

/** Characters after which the answer is read again. */
const READ_AGAIN = 48;

export class ProseParser implements IAnswerParser {
  constructor(private readonly _options: ParseOptions) {}

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
    const objecting = scan(this._text, this._options);
    if (objecting.dispute) {
      // What surrounds an objection is no text for the cell.
      const answer = {
        ...objecting,
        thoughts: joinThoughts(this._reasoning, objecting.thoughts),
        code: '',
        closed: false
      };
      return { answer, delta: this._shown.change(answer.thoughts, '') };
    }
    const { thoughts, prose } = this._read();
    return {
      answer: { thoughts, code: prose, closed: false },
      delta: this._delta()
    };
  }

  private _read() {
    const { thoughts, prose } = readProse(
      this._text,
      this._options.previous ?? ''
    );
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
