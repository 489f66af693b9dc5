/** Another value for a JSON text, in the text's own layout; what is equal keeps its bytes. */
import type { JsonNode } from './jsonText';

/** Positions of `before` for the items of `after`; null for a new item. Ascending. */
export type Pairing = (
  before: readonly unknown[],
  after: readonly unknown[]
) => readonly (number | null)[];

/**
 * The text with `after` in place of the value of `root`.
 *
 * @param pairings - which items of an array are the same, by the key of the array in the root object.
 */
export function patchJson(
  text: string,
  root: JsonNode,
  after: unknown,
  pairings: Readonly<Record<string, Pairing>> = {}
): string {
  const patcher = new Patcher(text, layoutOf(text, root), pairings);
  const patched = patcher.render(root, after, '', []);
  return `${text.slice(0, root.start)}${patched}${text.slice(root.end)}`;
}

/** True for the same JSON value; NaN is the same as NaN. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return (
      a.length === b.length && a.every((item, at) => sameJson(item, b[at]))
    );
  }
  if (isRecord(a) && isRecord(b)) {
    const keys = definedKeys(a);
    return (
      keys.length === definedKeys(b).length &&
      keys.every(key => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
  }
  return false;
}

/** As `JSON.stringify`, which leaves out what is undefined. */
function definedKeys(record: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(record).filter(key => record[key] !== undefined);
}

type Layout = {
  readonly end: string;
  /** Indentation of one level. */
  readonly unit: string;
  /** Between a key and its value. */
  readonly colon: string;
  /** After a comma on one line. */
  readonly gap: string;
  /** Only ASCII is written. */
  readonly ascii: boolean;
};

function layoutOf(text: string, root: JsonNode): Layout {
  const [first, second] = root.members ?? [];
  const indent = first ? text.slice(root.start + 1, first.start) : '';
  const isLines = indent.includes('\n');
  const between =
    first && second ? text.slice(first.value.end, second.start) : '';
  // eslint-disable-next-line no-control-regex
  const isAscii = !/[^\x00-\x7f]/.test(text);
  return {
    end: text.includes('\r\n') ? '\r\n' : '\n',
    unit: isLines ? lastLine(indent) : ' ',
    colon: first
      ? `${text.slice(first.start, first.value.start).match(/\s*:\s*$/)?.[0]}`
      : ': ',
    gap: isLines ? ' ' : (between.match(/,(\s*)$/)?.[1] ?? ' '),
    ascii: isAscii && /\\u(?!00[0-7])[0-9a-f]{4}/i.test(text)
  };
}

/** The space around what stands between two commas. */
type Space = { readonly before: string; readonly after: string };

type Part = Space & { readonly body: string; readonly isNew?: boolean };

/** Of a container: around its parts, and before its end. */
type Spaces = { readonly parts: readonly Space[]; readonly closing: string };

class Patcher {
  constructor(
    private readonly _text: string,
    private readonly _layout: Layout,
    private readonly _pairings: Readonly<Record<string, Pairing>>
  ) {}

  /** @param indent - of the line on which the node starts; null where it shares one with what it is in. */
  render(
    node: JsonNode,
    after: unknown,
    indent: string | null,
    path: readonly string[]
  ): string {
    if (sameJson(node.value, after)) {
      return this._text.slice(node.start, node.end);
    }
    if (node.members && isRecord(after)) {
      return this._object(node, after, indent, path);
    }
    return node.items && Array.isArray(after)
      ? this._array(node, after, indent, path)
      : this._format(after, indent);
  }

  private _object(
    node: JsonNode,
    after: Readonly<Record<string, unknown>>,
    indent: string | null,
    path: readonly string[]
  ): string {
    const members = node.members ?? [];
    const spans = members.map(
      ({ start, value }) => [start, value.end] as const
    );
    const spaces = this._spaces(node, spans);
    const wanted = definedKeys(after);
    const parts = members.flatMap(({ key, start, value }, at) => {
      const space = spaces.parts[at]!;
      if (!wanted.includes(key)) {
        return [];
      }
      const body = members.slice(at + 1).some(later => later.key === key)
        ? this._text.slice(value.start, value.end)
        : this.render(value, after[key], indentOf(space.before), [
            ...path,
            key
          ]);
      const named = `${this._text.slice(start, value.start)}${body}`;
      return [{ key, part: { ...space, body: named } as Part }];
    });
    const keys = parts.map(({ key }) => key);
    const isSorted = keys.every((key, at) => at === 0 || keys[at - 1]! <= key);
    for (const key of wanted) {
      if (!members.some(member => member.key === key)) {
        const value = after[key];
        const blank = this._blank(spaces, indent);
        const body = `${this._string(key)}${this._layout.colon}${this._format(value, indentOf(blank.before))}`;
        const above = isSorted ? parts.findIndex(other => other.key > key) : -1;
        const part = { ...blank, body, isNew: true };
        parts.splice(above < 0 ? parts.length : above, 0, { key, part });
      }
    }
    const list = parts.map(({ part }) => part);
    return this._joined('{', list, spaces, indent, '}');
  }

  private _array(
    node: JsonNode,
    after: readonly unknown[],
    indent: string | null,
    path: readonly string[]
  ): string {
    const items = node.items ?? [];
    const spans = items.map(({ start, end }) => [start, end] as const);
    const spaces = this._spaces(node, spans);
    const [name = ''] = path;
    const pairing = (path.length === 1 && this._pairings[name]) || sameEnds;
    const pairs = pairing(
      items.map(({ value }) => value),
      after
    );
    const parts = after.map((value, at): Part => {
      const from = pairs[at] ?? null;
      if (from === null) {
        const blank = this._blank(spaces, indent);
        const body = this._format(value, indentOf(blank.before));
        return { ...blank, body, isNew: true };
      }
      const space = spaces.parts[from]!;
      const inner = [...path, ''];
      const body = this.render(
        items[from]!,
        value,
        indentOf(space.before),
        inner
      );
      return { ...space, body };
    });
    return this._joined('[', parts, spaces, indent, ']');
  }

  private _spaces(
    node: JsonNode,
    spans: readonly (readonly [number, number])[]
  ): Spaces {
    const last = spans.length - 1;
    let from = node.start + 1;
    let closing = '';
    const parts = spans.map(([start, end], at) => {
      const before = this._text.slice(from, start);
      const behind = this._text.slice(end, spans[at + 1]?.[0] ?? node.end - 1);
      if (at === last) {
        closing = behind;
        return { before, after: '' };
      }
      const comma = behind.indexOf(',');
      from = end + comma + 1;
      return { before, after: behind.slice(0, comma) };
    });
    return { parts, closing };
  }

  /** Around a part that is added. */
  private _blank({ parts }: Spaces, indent: string | null): Space {
    const { end, unit, gap } = this._layout;
    const [first, second] = parts;
    if (!first) {
      return {
        before: indent === null ? gap : `${end}${indent}${unit}`,
        after: ''
      };
    }
    return first.before.includes('\n')
      ? { before: first.before, after: '' }
      : { before: second?.before ?? gap, after: '' };
  }

  private _joined(
    open: string,
    parts: readonly Part[],
    spaces: Spaces,
    indent: string | null,
    close: string
  ): string {
    if (parts.length === 0) {
      return `${open}${close}`;
    }
    const [first, second] = spaces.parts;
    const isOneLine = !parts[0]!.before.includes('\n');
    const closing =
      first || indent === null
        ? spaces.closing
        : `${this._layout.end}${indent}`;
    // What was first on its line and is not any more takes the space of the others, and the reverse.
    const beforeOf = ({ before, isNew }: Part, at: number) => {
      if (!isOneLine) {
        return before;
      }
      const isMoved = parts[0]!.isNew && before === first?.before;
      return at === 0
        ? isNew
          ? (first?.before ?? '')
          : before
        : isMoved
          ? (second?.before ?? this._layout.gap)
          : before;
    };
    const texts = parts.map(
      (part, at) => `${beforeOf(part, at)}${part.body}${part.after}`
    );
    return `${open}${texts.join(',')}${closing}${close}`;
  }

  private _format(value: unknown, indent: string | null): string {
    if (typeof value === 'string') {
      return this._string(value);
    }
    if (typeof value !== 'object' || value === null) {
      return typeof value === 'number' && !Number.isFinite(value)
        ? String(value)
        : JSON.stringify(value ?? null);
    }
    const { unit, end, colon, gap } = this._layout;
    const inner = indent === null ? null : `${indent}${unit}`;
    const isArray = Array.isArray(value);
    const parts = isArray
      ? value.map(item => this._format(item, inner))
      : definedKeys(value as Readonly<Record<string, unknown>>).map(
          key =>
            `${this._string(key)}${colon}${this._format((value as Readonly<Record<string, unknown>>)[key], inner)}`
        );
    const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
    if (parts.length === 0) {
      return `${open}${close}`;
    }
    return inner === null
      ? `${open}${parts.join(`,${gap}`)}${close}`
      : `${open}${end}${inner}${parts.join(`,${end}${inner}`)}${end}${indent}${close}`;
  }

  private _string(text: string): string {
    const json = JSON.stringify(text);
    return this._layout.ascii
      ? json.replace(
          /[\u0080-\uffff]/g,
          one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
        )
      : json;
  }
}

/** Items at the same position where the lengths agree; else those that are equal from both ends. */
const sameEnds: Pairing = (before, after) => {
  if (before.length === after.length) {
    return after.map((_, at) => at);
  }
  const short = Math.min(before.length, after.length);
  let head = 0;
  while (head < short && sameJson(before[head], after[head])) {
    head++;
  }
  let tail = 0;
  while (
    tail < short - head &&
    sameJson(before[before.length - 1 - tail], after[after.length - 1 - tail])
  ) {
    tail++;
  }
  return after.map((_, at) =>
    at < head
      ? at
      : at >= after.length - tail
        ? at + before.length - after.length
        : null
  );
};

function indentOf(before: string): string | null {
  return before.includes('\n') ? lastLine(before) : null;
}

function lastLine(space: string): string {
  return space.slice(space.lastIndexOf('\n') + 1);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
