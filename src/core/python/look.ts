/**
 * A look at Python while it is being written: what cannot be right whatever
 * follows. It never takes right code for wrong: where a rule depends on the
 * version of Python, or a line may be IPython's own, it stops looking.
 */
import { sentence } from '../messages/sentence';

export type Wrong = {
  /** From 1. */
  readonly line: number;
  /** What was seen, as a clause: `")" closes nothing`. */
  readonly reason: string;
  readonly kind: 'syntax' | 'runaway';
};

/** Times that a block of lines follows itself before it is a runaway: among statements, and among data. */
const REPEATED_CODE = 40;
const REPEATED_DATA = 400;
const LONGEST_BLOCK = 16;

type OpenString = {
  readonly quote: string;
  readonly triple: boolean;
  /** An f- or t-string; braces that are open in it. */
  readonly formatted: boolean;
  depth: number;
};

const PAIRS: Readonly<Record<string, string>> = {
  ')': '(',
  ']': '[',
  '}': '{'
};

/** A line of IPython's own, with its mark or (a few common ones) without it. */
const MAGIC =
  /^(?:[%!?,;/]|(?:cd|ls|ll|cat|cp|mv|rm|mkdir|rmdir|man|less|more|pip|conda|mamba|time|timeit|run|load|env|who|whos|store|alias)\s+(?!(?:if|and|or|in|is|not|else|for)\b)[^\s=.,:;()[\]{}*/<>|&^+@%!-])/;

/** What comes right before the quote of an f- or t-string. */
const FORMATTED = /(?:^|[^\p{L}\p{N}_])(?:r?[ft]|[ft]r)$/iu;

export class PythonLook {
  /** @param line - without its line break. */
  feed(line: string): Wrong | null {
    this._line++;
    const reason = this._blind ? null : this._lexical(line);
    if (reason !== null) {
      this._blind = true;
      return { line: this._line, reason, kind: 'syntax' };
    }
    const times = this._repeats.feed(
      line,
      this._string || this._brackets.length > 0 ? REPEATED_DATA : REPEATED_CODE
    );
    return times === null
      ? null
      : {
          line: this._line,
          reason: sentence('code.circles', times),
          kind: 'runaway'
        };
  }

  private _lexical(line: string): string | null {
    if (line.includes('\r')) {
      return this._stopLooking();
    }
    let from = 0;
    if (this._string) {
      from = this._inString(line, 0, this._string);
    } else if (this._brackets.length === 0 && !this._continued) {
      const text = line.trimStart();
      if (text === '' || text.startsWith('#')) {
        return null;
      }
      if (/^(?:%%|>>>|In \[)/.test(text)) {
        return this._stopLooking();
      }
      if (MAGIC.test(text)) {
        return text.endsWith('\\') ? this._stopLooking() : null;
      }
      if (!this._fits(line.slice(0, line.length - text.length))) {
        return sentence('code.indentation');
      }
    }
    this._continued = false;
    return from < 0 ? UNTERMINATED : this._code(line, from);
  }

  private _code(line: string, from: number): string | null {
    for (let i = from; i < line.length && !this._blind; i++) {
      const char = line.charAt(i);
      if (char === '#') {
        return null;
      }
      if (char === '"' || char === "'") {
        const triple = line.startsWith(char.repeat(3), i);
        const string: OpenString = {
          quote: char,
          triple,
          formatted: FORMATTED.test(line.slice(Math.max(0, i - 3), i)),
          depth: 0
        };
        const end = this._inString(line, i + (triple ? 3 : 1), string);
        if (end < 0) {
          return UNTERMINATED;
        }
        i = end - 1;
      } else if ('([{'.includes(char)) {
        this._brackets.push(char);
      } else if (char in PAIRS) {
        const open = this._brackets.pop();
        if (open !== PAIRS[char]) {
          return open === undefined
            ? sentence('code.closes-nothing', char)
            : sentence('code.closes-wrong', char, open);
        }
      } else if (char === '\\' && i === line.length - 1) {
        this._continued = true;
      } else if (isMagicInside(line, i)) {
        if (this._brackets.length > 0 || line.endsWith('\\')) {
          this._stopLooking();
        }
        return null;
      }
    }
    return null;
  }

  /** Index after the string; the line's length when it continues in the next one; -1 when it should have ended. */
  private _inString(line: string, from: number, string: OpenString): number {
    const { quote, triple, formatted } = string;
    const end = triple ? quote.repeat(3) : quote;
    let escaped = false;
    this._string = string;
    for (let i = from; i < line.length; i++) {
      const inside = formatted && string.depth > 0;
      if (inside && (line[i] === '\\' || line[i] === '#')) {
        return this._giveUp(line);
      }
      if (line[i] === '\\') {
        escaped = i === line.length - 1;
        i++;
      } else if (line.startsWith(end, i)) {
        if (inside) {
          return this._giveUp(line);
        }
        this._string = null;
        return i + end.length;
      } else if (inside && /["']/.test(line.charAt(i))) {
        const close = line.indexOf(line.charAt(i), i + 1);
        const text = line.slice(i + 1, close);
        if (close < 0 || text.includes('\\') || text.includes(end)) {
          return this._giveUp(line);
        }
        i = close;
      } else if (formatted && (line[i] === '{' || line[i] === '}')) {
        if (!inside && line[i + 1] === line[i]) {
          i++;
        } else if (!inside && line[i] === '}') {
          return this._giveUp(line);
        } else {
          string.depth += line[i] === '{' ? 1 : -1;
        }
      }
    }
    if (!triple && !escaped) {
      return string.depth > 0 ? this._giveUp(line) : -1;
    }
    return line.length;
  }

  /** Whether a statement may start with these blanks. */
  private _fits(blanks: string): boolean {
    const indents = this._indents;
    if (indents === null) {
      return true;
    }
    const first = indents.length === 0;
    const kind = blanks[0] ?? '';
    const mixed =
      blanks !== kind.repeat(blanks.length) ||
      (kind !== '' && this._indentKind !== '' && kind !== this._indentKind);
    // IPython takes a common indentation away.
    if (mixed || (first && blanks !== '')) {
      this._indents = null;
      return true;
    }
    this._indentKind ||= kind;
    const width = blanks.length;
    const innermost = () => indents.at(-1) ?? width;
    while (innermost() > width) {
      indents.pop();
      if (innermost() < width) {
        return false;
      }
    }
    if (first || innermost() < width) {
      indents.push(width);
    }
    return true;
  }

  private _stopLooking(): null {
    this._blind = true;
    this._string = null;
    return null;
  }

  private _giveUp(line: string): number {
    this._stopLooking();
    return line.length;
  }

  private readonly _repeats = new Repeats();
  private readonly _brackets: string[] = [];
  /** Widths of the blocks that are open; null: not looked at any more. */
  private _indents: number[] | null = [];
  private _indentKind = '';
  private _string: OpenString | null = null;
  private _continued = false;
  private _blind = false;
  private _line = 0;
}

const UNTERMINATED = sentence('code.open-string');

/** `files = !ls`, `x = %time f()`, `f?`: the rest of the line is not Python. */
function isMagicInside(line: string, i: number): boolean {
  switch (line[i]) {
    case '?':
      return true;
    case '!':
      return line[i + 1] !== '=';
    case '%':
      return line
        .slice(Math.max(0, i - 40), i)
        .trimEnd()
        .endsWith('=');
    default:
      return false;
  }
}

/** Counts how often a block of up to 16 lines has followed itself. */
class Repeats {
  /** @returns the number of times, when that reached `limit`. */
  feed(line: string, limit: number): number | null {
    this._lines.push(line.trimEnd());
    const last = this._lines.length - 1;
    for (let size = 1; size <= LONGEST_BLOCK && size <= last; size++) {
      const same = this._lines[last] === this._lines[last - size];
      const count = same ? (this._same[size] ?? 0) + 1 : 0;
      this._same[size] = count;
      if (
        count >= size * (limit - 1) &&
        this._lines.slice(-size).some(text => text.trim().length >= 8)
      ) {
        return limit;
      }
    }
    return null;
  }

  private readonly _lines: string[] = [];
  private readonly _same: number[] = [];
}
