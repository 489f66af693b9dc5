/** Reads the answer for a markdown cell while it streams. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { Shown, type ParseDelta } from './delta';
import { scan } from './reading';
import { parseJsonAnswer } from '../text/json';

/** Characters after which the answer is read again. */
const READ_AGAIN = 48;

export class ProseParser implements IAnswerParser {
  constructor(private readonly _options: ParseOptions) {}

  readonly isClosed = false;

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

  private _read(): { readonly thoughts: string; readonly prose: string } {
    const { thinking, rest } = splitThinking(
      this._text.replace(/\r\n?/g, '\n')
    );
    const json = /^\s*\{/.test(rest) ? parseJsonAnswer(rest) : null;
    const [, head = '', body = ''] = INTRODUCTION.exec(rest.trim()) ?? [];
    const text = body || rest;
    const [closing = ''] = CLOSING.exec(text) ?? [];
    return {
      thoughts: (json
        ? [this._reasoning, thinking, json.thoughts]
        : [this._reasoning, thinking, head, closing]
      ).reduce(joinThoughts),
      prose: json
        ? json.code.trim()
        : unwrapped(text.slice(0, text.length - closing.length))
    };
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

/** `Sure! Here is the introduction:` before a text that is not empty. */
const INTRODUCTION =
  /^((?:sure|certainly|of course|absolutely|here(?:[’']s| is)|below is)\b[^\n]{0,200}[:!])\n+(\S[^]*)$/i;

/** `Let me know if …` below it: speaks to the one who asked. */
const CLOSING =
  /\n\s*\n(?:(?:please )?let me know|feel free to|i hope (?:this|that|it)|would you like|if you(?:[’']d| would) like|do you want me)\b[^\n]{0,300}\s*$/i;

function splitThinking(text: string): { thinking: string; rest: string } {
  let thinking = '';
  let rest = text;
  for (;;) {
    const open = /^[ \t]*<(think|thinking|reasoning)>/im.exec(rest);
    const close = /<\/(?:think|thinking|reasoning)>/i.exec(rest);
    if (close && (!open || close.index < open.index)) {
      thinking += rest.slice(0, close.index);
      rest = rest.slice(close.index + close[0].length);
    } else if (open) {
      const end = close ?? { index: rest.length, 0: '' };
      thinking += rest.slice(open.index + open[0].length, end.index);
      rest = rest.slice(0, open.index) + rest.slice(end.index + end[0].length);
    } else {
      return { thinking: thinking.trim(), rest };
    }
  }
}

/** Text without the one fence that wraps all of it; without a label it may be a block of the text, and wraps only if nothing else could close it. */
function unwrapped(text: string): string {
  const body = text.trim();
  const [, mark, label, inner = ''] =
    /^(`{3,}|~{3,})(markdown|md)?[ \t]*\n([^]*)$/i.exec(body) ?? [];
  if (mark === undefined) {
    return body;
  }
  const end = inner.lastIndexOf(`\n${mark}`);
  const within = end < 0 ? inner : inner.slice(0, end);
  return label !== undefined ||
    (end >= 0 &&
      inner.slice(end + 1 + mark.length).trim() === '' &&
      !within.includes(mark))
    ? within.trim()
    : body;
}
