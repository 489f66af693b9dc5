/** Reads the answer for a markdown cell while it streams. */
import {
  joinThoughts,
  withoutMark,
  type IAnswerParser,
  type ParsedAnswer,
  type ParseOptions
} from '../answer';
import { Shown, type ParseDelta } from '../delta';
import { scan } from '../reading';
import { parseJsonAnswer } from '../../text/json';

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

type ProseAnswer = { readonly thoughts: string; readonly prose: string };

/**
 * @param text - the answer so far, or all of it.
 * @param previous - the text that it is to replace.
 */
export function readProse(text: string, previous = ''): ProseAnswer {
  const { thinking, rest } = splitThinking(text.replace(/\r\n?/g, '\n'));
  if (/^\s*\{/.test(rest)) {
    const json = parseJsonAnswer(rest);
    if (json) {
      return {
        thoughts: join(thinking, json.thoughts),
        prose: json.code.trim()
      };
    }
  }
  const { prose: body, before, after } = withoutRemarks(rest, previous);
  const { prose, remarks } = unwrap(
    before === '' ? body : unquoted(body, previous)
  );
  return {
    thoughts: [thinking, before, remarks, after].reduce(join),
    prose
  };
}

/** A text that is presented as a quotation as a whole; one that replaces a quotation stays one. */
function unquoted(text: string, previous: string): string {
  const lines = text.trim().split('\n');
  const isQuoted = (line: string) => /^>(?: |$)/.test(line);
  return lines.every(isQuoted) && !isQuoted(previous.trimStart())
    ? lines.map(line => line.replace(/^> ?/, '')).join('\n')
    : text;
}

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

type Unwrapped = { readonly prose: string; readonly remarks: string };

/** Text without the one fence that wraps all of it, and what was said after that. */
function unwrap(text: string): Unwrapped {
  const body = text.trim();
  const wrapped = /^(`{3,}|~{3,})(markdown|md)?[ \t]*\n([\s\S]*)$/i.exec(body);
  if (!wrapped) {
    return { prose: body, remarks: '' };
  }
  const [, mark = '', label, inner = ''] = wrapped;
  if (label === undefined) {
    return { prose: unwrapUnlabelled(body, inner, mark), remarks: '' };
  }
  const lines = inner.split('\n');
  const end = closingLine(lines, mark) ?? lines.length;
  const after = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return {
    prose: lines.slice(0, end).join('\n').trim(),
    remarks: after
  };
}

/** Without a label it may be a block of the text: it wraps only if nothing else in it could close it. */
function unwrapUnlabelled(body: string, inner: string, mark: string): string {
  const end = inner.lastIndexOf(`\n${mark}`);
  return end >= 0 &&
    inner.slice(end + 1 + mark.length).trim() === '' &&
    !inner.slice(0, end).includes(mark)
    ? inner.slice(0, end).trim()
    : body;
}

/**
 * The line that closes the fence around them: the last one that could, if those
 * before it pair up. Null when all of them do: then it was left open.
 */
function closingLine(lines: readonly string[], mark: string): number | null {
  const fence = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*(.*)$`);
  const bare: number[] = [];
  let labelled = false;
  for (const [index, line] of lines.entries()) {
    const info = fence.exec(line)?.[1];
    if (info) {
      labelled = true;
    } else if (info === '' && labelled) {
      labelled = false;
    } else if (info === '') {
      bare.push(index);
    }
  }
  return bare.length % 2 === 1 ? (bare.at(-1) ?? null) : null;
}

function join(a: string, b: string): string {
  return [a, b].filter(part => part !== '').join('\n\n');
}

/** `Sure!`, alone or before more: no text of a notebook starts so. */
const INTERJECTION =
  /^(?:sure(?: thing)?|certainly|of course|absolutely|got it|understood|ok(?:ay)?|gerne|natürlich|bien sûr|voici|claro|por supuesto|certo)\b[^\n]{0,200}[:.!…]$/iu;

/** `Here is the introduction:` names what was asked for. */
const PRESENTED =
  /^(?:here(?:[’']s| is| comes)|below is|this is|the following is|hier ist|hier kommt|aquí (?:está|tienes)|ecco|aqui está)\b[^\n]{0,160}:$/iu;

/** `Let me know if …`: speaks to the one who asked. */
const CLOSING =
  /^(?:please )?(?:let me know\b|feel free to\b|i hope (?:this|that|it)\b|hope (?:this|that|it) helps\b|(?:if )?would you like\b|if you(?:[’']d| would) (?:like|prefer)\b|if you (?:want|need) me\b|do you want me\b|is there anything else\b|happy to\b|\(?word count\b)/i;

const MOST = 400;

type Remarks = {
  readonly prose: string;
  readonly before: string;
  readonly after: string;
};

/**
 * @param previous - the text as it was: a line that it has is part of the text.
 *
 * @example
 * "Here is the text:\n\nA text.\n\nLet me know!" has the prose "A text."
 */
function withoutRemarks(text: string, previous: string): Remarks {
  const paragraphs = text.trim().split(/\n[ \t]*\n/);
  const known = (paragraph: string) => previous.includes(paragraph.trim());
  const [head = ''] = (paragraphs[0] ?? '').split('\n');
  const line = head.trim().replace(/^\*\*(.*)\*\*$/, '$1');
  const introduced =
    !known(head) && (INTERJECTION.test(line) || PRESENTED.test(line));
  const body = introduced ? text.trim().slice(head.length).trim() : text.trim();
  // An introduction to nothing may be the text itself.
  const kept = body === '' ? text.trim() : body;
  const { prose, after } = withoutClosing(kept, known);
  return { prose, before: body === '' || !introduced ? '' : line, after };
}

function withoutClosing(
  text: string,
  known: (paragraph: string) => boolean
): { readonly prose: string; readonly after: string } {
  const at = text.lastIndexOf('\n\n');
  const last = text.slice(at + 2).trim();
  return at > 0 && last.length <= MOST && CLOSING.test(last) && !known(last)
    ? {
        // With the rule that set it apart.
        prose: text
          .slice(0, at)
          .replace(/\n\s*(?:-{3,}|\*{3,}|_{3,})\s*$/, '')
          .trim(),
        after: last
      }
    : { prose: text, after: '' };
}
