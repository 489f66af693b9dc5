/** Values of Python literals, as far as comparing two of them needs. */
import type { SyntaxNode } from '@lezer/common';

export type Literal =
  | {
      readonly type: 'number';
      readonly value: number | bigint;
      readonly of: 'int' | 'float' | 'bool';
    }
  | {
      readonly type: 'text';
      readonly value: string;
      readonly bytes: boolean;
      /** It has escapes, which are not read. */
      readonly escaped: boolean;
    }
  | { readonly type: 'none' }
  | {
      readonly type: 'sequence';
      readonly of: 'list' | 'tuple';
      readonly items: readonly Literal[];
    }
  | { readonly type: 'set'; readonly items: readonly Literal[] }
  | {
      readonly type: 'dict';
      readonly items: readonly (readonly [Literal, Literal])[];
    };

/** What two floats may differ by and still count as one value. */
const TOLERANCE = 1e-6;

/** The value of an expression without names, calls and operators but a sign; null for any other. */
export function literalOf(node: SyntaxNode, text: string): Literal | null {
  const source = text.slice(node.from, node.to);
  switch (node.name) {
    case 'ParenthesizedExpression': {
      const [inner, ...others] = parts(node);
      return inner && others.length === 0 ? literalOf(inner, text) : null;
    }
    case 'None':
      return { type: 'none' };
    case 'Boolean':
      return { type: 'number', value: source === 'True' ? 1 : 0, of: 'bool' };
    case 'Number':
      return numberOf(source);
    case 'UnaryExpression':
      return signed(node, text);
    case 'String':
      return textOf(source);
    case 'ArrayExpression':
    case 'TupleExpression': {
      const items = itemsOf(node, text);
      const of = node.name === 'TupleExpression' ? 'tuple' : 'list';
      return items && { type: 'sequence', of, items };
    }
    case 'SetExpression': {
      const items = itemsOf(node, text);
      return items && { type: 'set', items };
    }
    case 'DictionaryExpression':
      return dictOf(parts(node), text);
    default:
      return null;
  }
}

/** True only when no value equals both; a list and a tuple of the same items count as equal. */
export function certainlyDiffer(a: Literal, b: Literal): boolean {
  if (a.type === 'number' && b.type === 'number') {
    return numbersDiffer(a, b);
  }
  if (a.type === 'text' && b.type === 'text') {
    return (
      a.bytes !== b.bytes || (!a.escaped && !b.escaped && a.value !== b.value)
    );
  }
  if (a.type === 'sequence' && b.type === 'sequence') {
    return (
      a.items.length !== b.items.length ||
      a.items.some((item, i) => certainlyDiffer(item, b.items[i]!))
    );
  }
  if (a.type === 'set' && b.type === 'set') {
    return lacks(a.items, b.items) || lacks(b.items, a.items);
  }
  if (a.type === 'dict' && b.type === 'dict') {
    const keys = (dict: typeof a) => dict.items.map(([key]) => key);
    return (
      lacks(keys(a), keys(b)) ||
      lacks(keys(b), keys(a)) ||
      a.items.some(([key, value]) =>
        b.items
          .filter(([other]) => sameLiteral(other, key))
          .some(([, other]) => certainlyDiffer(value, other))
      )
    );
  }
  return a.type !== b.type;
}

/** True for two spellings of one value and type. */
export function sameLiteral(a: Literal, b: Literal): boolean {
  return literalKey(a) === literalKey(b);
}

/** One text for all spellings of a value and its type. */
export function literalKey(literal: Literal): string {
  switch (literal.type) {
    case 'number':
      return `${literal.of} ${literal.value}`;
    case 'text':
      return `${literal.bytes ? 'bytes' : 'str'}${literal.escaped ? ' escaped' : ''} ${JSON.stringify(literal.value)}`;
    case 'none':
      return 'None';
    case 'sequence':
      return `${literal.of}(${literal.items.map(literalKey).join()})`;
    case 'set':
      return `set(${literal.items.map(literalKey).join()})`;
    case 'dict':
      return `dict(${literal.items.map(pair => pair.map(literalKey).join(':')).join()})`;
  }
}

/** Children that are no bracket, comma or comment. */
export function parts(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!/^(?:[()[\]{},]|Comment)$/.test(child.name)) {
      found.push(child);
    }
  }
  return found;
}

function numberOf(source: string): Literal | null {
  const plain = source.replace(/_/g, '').toLowerCase();
  if (plain.endsWith('j')) {
    return null;
  }
  if (/^(?:0[xob][\da-f]+|\d+)$/.test(plain)) {
    const value = BigInt(plain);
    const small = Number(value);
    return {
      type: 'number',
      value: Number.isSafeInteger(small) ? small : value,
      of: 'int'
    };
  }
  return { type: 'number', value: Number(plain), of: 'float' };
}

function signed(node: SyntaxNode, text: string): Literal | null {
  const [operator, operand] = parts(node);
  const sign = operator && text.slice(operator.from, operator.to);
  const value =
    operand?.name === 'Number' && (sign === '-' || sign === '+')
      ? literalOf(operand, text)
      : null;
  return value?.type === 'number'
    ? { ...value, value: sign === '-' ? -value.value : value.value }
    : null;
}

function textOf(source: string): Literal | null {
  const [match, prefix = '', , value = ''] =
    /^([a-z]*)('''|"""|'|")([^]*)\2$/i.exec(source) ?? [];
  if (match === undefined || /[ft]/i.test(prefix)) {
    return null;
  }
  return {
    type: 'text',
    value,
    bytes: /b/i.test(prefix),
    escaped: value.includes('\\') && !/r/i.test(prefix)
  };
}

function itemsOf(node: SyntaxNode, text: string): readonly Literal[] | null {
  const items = parts(node).map(item => literalOf(item, text));
  return items.every(item => item !== null) ? items : null;
}

function dictOf(nodes: readonly SyntaxNode[], text: string): Literal | null {
  const values = nodes
    .filter(node => node.name !== ':')
    .map(node => literalOf(node, text));
  const items: (readonly [Literal, Literal])[] = [];
  for (let i = 0; i < values.length; i += 2) {
    const [key, value] = [values[i], values[i + 1]];
    // The last of two equal keys counts.
    if (!key || !value || items.some(([other]) => sameLiteral(other, key))) {
      return null;
    }
    items.push([key, value]);
  }
  return { type: 'dict', items };
}

function numbersDiffer(
  a: Literal & { readonly type: 'number' },
  b: Literal & { readonly type: 'number' }
): boolean {
  if (a.of !== 'float' && b.of !== 'float') {
    return a.value !== b.value;
  }
  const [x, y] = [Number(a.value), Number(b.value)];
  return Math.abs(x - y) > TOLERANCE * Math.max(1, Math.abs(x), Math.abs(y));
}

/** True when one of `items` is certainly not among `others`. */
function lacks(items: readonly Literal[], others: readonly Literal[]): boolean {
  return items.some(item =>
    others.every(other => certainlyDiffer(item, other))
  );
}
