/** Reads the answer for a code cell while it streams, at a cost that grows with the answer's length alone. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { Shown, TrimmedText, type ParseDelta } from './delta';
import { cleanCode, endsWithBlock, readAnswer } from './reading';
import { withoutPasted, type Cleaned } from './pasted';
import { AnswerScanner } from './scanner';

export class CodeParser implements IAnswerParser {
  constructor(private readonly _options: ParseOptions) {
    this._scanner = new AnswerScanner(_options);
  }

  closed: string | null = null;

  push(piece: string): ParseDelta | null {
    const text = this._raw === '' ? withoutMark(piece) : piece;
    this._raw += text;
    if (this._reasoning !== '' && !this._answering) {
      this._text.paragraph();
    }
    this._answering = true;
    const parts = text.split('\n');
    let thoughts = '';
    let whole = true;
    for (const [i, part] of parts.entries()) {
      this._partial += part;
      if (i < parts.length - 1) {
        const noted = this._endLine();
        whole &&= noted !== null;
        thoughts += noted ?? '';
      } else {
        thoughts += this._early(part);
      }
    }
    if (!whole) {
      return this._everything();
    }
    return this._shown.extend(
      thoughts,
      parts.length > 1 ? cleanCode(this._scanner.streaming) : null
    );
  }

  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._shown.extend(this._text.append(text), null);
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
    const answer = this._ofReasoning() ?? {
      ...read,
      thoughts: joinThoughts(this._reasoning, read.thoughts)
    };
    const { code, leftOut } = this._cleaned(answer.code);
    return {
      answer: { ...answer, code, ...(leftOut === '' ? {} : { leftOut }) },
      delta: this._shown.change(answer.thoughts, code)
    };
  }

  /** Some servers put the whole answer into the reasoning channel: its code then, if it ends with a block. */
  private _ofReasoning(): ParsedAnswer | null {
    if (this._raw.trim() !== '' || !endsWithBlock(this._reasoning)) {
      return null;
    }
    const { thoughts, code, closed } = readAnswer(
      this._reasoning,
      { ...this._options, disputes: false },
      null
    );
    return closed ? { thoughts, code, closed: false } : null;
  }

  /** The thoughts to show of a line that is whole now; null when it is not what was shown of it early. */
  private _endLine(): string | null {
    const line = this._partial.replace(/\r$/, '');
    const early = this._shownEarly;
    this._partial = '';
    this._shownEarly = '';
    this._showing = true;
    if (!this._started && line.trim() !== '') {
      this._started = true;
      this._json = /^\s*[{["]/.test(line);
    }
    if (this._json) {
      return '';
    }
    this._scanner.feed(line);
    const code = this._scanner.closed;
    // A block of checks alone is not the end: code may follow.
    this.closed =
      code === null ? null : this._cleaned(cleanCode(code)).code || null;
    const noted = this._scanner.takeNoted();
    return noted.startsWith(early)
      ? this._text.append(noted.slice(early.length))
      : null;
  }

  /** What can be shown of a line before it has ended: up to the first `<`, which may start a tag. */
  private _early(more: string): string {
    if (!this._showing || this._json || (!this._started && !this._isProse())) {
      return '';
    }
    if (this._shownEarly === '') {
      if (!this._scanner.showsAsThought(this._partial)) {
        return '';
      }
      more = this._partial;
    }
    const tag = more.indexOf('<');
    this._showing = tag < 0;
    const text = (tag < 0 ? more : more.slice(0, tag)).replace(/\r$/, '');
    this._showing &&= text.length === more.length;
    this._shownEarly += text;
    return this._text.append(text);
  }

  private _cleaned(code: string): Cleaned {
    const { around, needs = [], language, frame } = this._options;
    return around && language === 'python' && !frame
      ? withoutPasted(code, { ...around, needs })
      : { code, leftOut: '' };
  }

  /** A first line that starts with a brace may be JSON. */
  private _isProse(): boolean {
    return /^\s*[^\s{["]/.test(this._partial);
  }

  private _everything(): ParseDelta | null {
    return this._shown.change(
      joinThoughts(this._reasoning, this._scanner.thoughts),
      cleanCode(this._scanner.streaming)
    );
  }

  private readonly _scanner: AnswerScanner;
  private readonly _shown = new Shown();
  private readonly _text = new TrimmedText();
  private _raw = '';
  /** The line that has not ended. */
  private _partial = '';
  private _shownEarly = '';
  private _showing = true;
  private _reasoning = '';
  private _answering = false;
  private _started = false;
  private _json = false;
}
