/** Names that a cell announces and leaves to be written: `def median(values): ...`, `total = None`. */
import type { SyntaxNode } from '@lezer/common';
import { children, parsePython } from '../../core/python/syntax';

const NOTHING_DONE = /^(PassStatement|RaiseStatement|Comment|:)$/;
/** An exception needs no body. */
const EXCEPTION = /(Error|Exception|Warning)\s*\)$/;
const NO_VALUE = /^(String|ContinuedString|Ellipsis)$/;

/** Those of a source's top level, in Python. */
export function placeholders(source: string): readonly string[] {
  const { root, text } = parsePython(source);
  return children(root)
    .map(node => (node.name === 'DecoratedStatement' ? node.lastChild! : node))
    .filter(node => isOpen(node) && !isException(node, text))
    .flatMap(node => node.getChild('VariableName') ?? [])
    .map(name => text.slice(name.from, name.to));
}

/** Functions within count as well: the methods of a class that is to be written. */
function isOpen(node: SyntaxNode): boolean {
  const body = /Definition$/.test(node.name) && node.getChild('Body');
  if (!body) {
    const value = node.lastChild?.name ?? '';
    return node.name === 'AssignStatement' && /^(None|Ellipsis)$/.test(value);
  }
  return children(body).every(part =>
    part.name === 'FunctionDefinition'
      ? isOpen(part)
      : NOTHING_DONE.test(part.name) ||
        (part.name === 'ExpressionStatement' &&
          NO_VALUE.test(part.firstChild?.name ?? ''))
  );
}

function isException(node: SyntaxNode, text: string): boolean {
  const bases = node.getChild('ArgList');
  return bases !== null && EXCEPTION.test(text.slice(bases.from, bases.to));
}
