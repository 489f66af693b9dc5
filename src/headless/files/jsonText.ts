/**
 * JSON as text with positions: what is not changed can be written again byte for byte.
 * Reads what Python's `json` writes, that is `NaN` and `Infinity` too.
 *
 * ```ts
 * const root = parseJson('{"a": 1.0}');
 * root.value; // { a: 1 }
 * root.members?.[0]?.value.start; // 6
 * ```
 */

export type JsonNode = {
  /** Of its first character. */
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** As `JSON.parse` gives it. */
  readonly value: unknown;
  /** Of an object, as they stand in the text. */
  readonly members?: readonly JsonMember[];
  /** Of an array. */
  readonly items?: readonly JsonNode[];
};

export type JsonMember = {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
};

/**
 * @param from - where it starts, behind a byte order mark.
 * @throws SyntaxError with the line, counted from 1.
 */
export function parseJson(text: string, from = 0): JsonNode {
  return new Parser(text, from).parse();
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null|NaN|-?Infinity/y;
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  NaN,
  Infinity,
  '-Infinity': -Infinity
};

class Parser {
  constructor(
    private readonly _text: string,
    private _at: number
  ) {}

  parse(): JsonNode {
    this._match(SPACE);
    const root = this._value();
    this._match(SPACE);
    if (this._at < this._text.length) {
      this._fail();
    }
    return root;
  }

  private _value(): JsonNode {
    const start = this._at;
    switch (this._text[start]) {
      case '{':
        return this._object(start);
      case '[':
        return this._array(start);
      case '"': {
        const value = this._string();
        return { start, end: this._at, value };
      }
    }
    const word = this._match(WORD);
    const value = word
      ? WORDS[word]
      : Number(this._match(NUMBER) || this._fail());
    return { start, end: this._at, value };
  }

  private _object(start: number): JsonNode {
    const members: JsonMember[] = [];
    this._list('}', () => {
      const at = this._at;
      const key = this._text[at] === '"' ? this._string() : this._fail();
      this._match(SPACE);
      this._take(':');
      this._match(SPACE);
      members.push({ key, start: at, value: this._value() });
    });
    const value = Object.fromEntries(
      members.map(member => [member.key, member.value.value])
    );
    return { start, end: this._at, value, members };
  }

  private _array(start: number): JsonNode {
    const items: JsonNode[] = [];
    this._list(']', () => items.push(this._value()));
    const value = items.map(item => item.value);
    return { start, end: this._at, value, items };
  }

  private _list(close: string, readItem: () => void): void {
    this._at++;
    this._match(SPACE);
    if (this._text[this._at] === close) {
      this._at++;
      return;
    }
    for (;;) {
      readItem();
      this._match(SPACE);
      if (this._text[this._at] === close) {
        this._at++;
        return;
      }
      this._take(',');
      this._match(SPACE);
    }
  }

  private _string(): string {
    const start = this._at;
    let end = start;
    do {
      end = this._text.indexOf('"', end + 1);
    } while (end > 0 && this._isEscaped(end, start));
    if (end < 0) {
      this._fail();
    }
    this._at = end + 1;
    try {
      return JSON.parse(this._text.slice(start, end + 1)) as string;
    } catch {
      return this._fail();
    }
  }

  private _isEscaped(at: number, start: number): boolean {
    let before = at - 1;
    while (before > start && this._text[before] === '\\') {
      before--;
    }
    return (at - before) % 2 === 0;
  }

  private _take(character: string): void {
    if (this._text[this._at] !== character) {
      this._fail();
    }
    this._at++;
  }

  private _match(pattern: RegExp): string {
    pattern.lastIndex = this._at;
    const found = pattern.exec(this._text)?.[0] ?? '';
    this._at += found.length;
    return found;
  }

  private _fail(): never {
    const line = this._text.slice(0, this._at).split('\n').length;
    throw new SyntaxError(`line ${line}`);
  }
}
