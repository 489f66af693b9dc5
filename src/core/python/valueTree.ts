/** Reads what a container holds out of its `repr`, as far as that was recorded. */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';

/** A value inside of another. */
export type ValueNode = {
  /** Index, key or field name; null in a set. */
  readonly label: string | null;
  readonly text: string;
  /** What it holds itself; none for what is no container. */
  readonly children: readonly ValueNode[];
};

/** Longer texts are not read. */
const LIMIT = 10_000;

/** Containers within containers that are read. */
const DEPTH = 20;

/**
 * The items of a list, tuple, set or dict, and the arguments of a `Point(x=1)`;
 * none for any other value.
 */
export function valueTree(repr: string): readonly ValueNode[] {
  if (repr.length > LIMIT) {
    return [];
  }
  const { topNode } = parser.parse(repr);
  const statement = topNode.firstChild;
  const value = statement?.firstChild;
  return statement?.name === 'ExpressionStatement' &&
    statement.nextSibling === null &&
    value
    ? itemsOf(value, repr, DEPTH)
    : [];
}

function itemsOf(
  node: SyntaxNode,
  source: string,
  depth: number
): readonly ValueNode[] {
  const parts = (of: SyntaxNode) =>
    children(of).filter(({ name }) => /\w/.test(name));
  const item = (label: string | null, of: SyntaxNode): ValueNode => ({
    label,
    text: source.slice(of.from, of.to),
    children: depth > 0 ? itemsOf(of, source, depth - 1) : []
  });
  switch (node.name) {
    case 'ArrayExpression':
    case 'TupleExpression':
      return parts(node).map((part, i) => item(String(i), part));
    case 'SetExpression':
      return parts(node).map(part => item(null, part));
    case 'DictionaryExpression':
      return pairs(node).map(([key, value]) =>
        item(source.slice(key.from, key.to), value)
      );
    case 'CallExpression': {
      const list = node.getChild('ArgList');
      return list
        ? argumentsOf(list).map(([name, value], i) =>
            item(name ? source.slice(name.from, name.to) : String(i), value)
          )
        : [];
    }
    case 'ParenthesizedExpression': {
      const [inner] = parts(node);
      return inner ? itemsOf(inner, source, depth) : [];
    }
    default:
      return [];
  }
}

function children(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!child.type.isError) {
      found.push(child);
    }
  }
  return found;
}

/** Key and value on both sides of each colon. */
function pairs(
  node: SyntaxNode
): readonly (readonly [SyntaxNode, SyntaxNode])[] {
  const parts = children(node);
  return parts.flatMap((part, i) => {
    const [key, value] = [parts[i - 1], parts[i + 1]];
    return part.name === ':' && key && value && /\w/.test(value.name)
      ? [[key, value] as const]
      : [];
  });
}

/** Arguments, with the name of those that have one. */
function argumentsOf(
  list: SyntaxNode
): readonly (readonly [SyntaxNode | null, SyntaxNode])[] {
  const parts = children(list).filter(({ name }) => /\w/.test(name));
  return parts.flatMap((part, i) => {
    const [before, assign] = [parts[i - 2], parts[i - 1]];
    if (part.name === 'AssignOp' || parts[i + 1]?.name === 'AssignOp') {
      return [];
    }
    return [
      [assign?.name === 'AssignOp' && before ? before : null, part] as const
    ];
  });
}
