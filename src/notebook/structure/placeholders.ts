/** Names that a cell announces and leaves to be written: `def median(values): ...`, `total = None`. */
import type { SyntaxNode } from '@lezer/common';
import { parsePython } from '../../core/python/syntax';

const NOTHING_DONE = /^(PassStatement|RaiseStatement|Comment|:)$/;
const NO_VALUE = /^(String|ContinuedString|Ellipsis)$/;

/** Those of a source's top level, in Python. */
export function placeholders(source: string): readonly string[] {
  const { root, text } = parsePython(source);
  const found: string[] = [];
  for (let node = root.firstChild; node; node = node.nextSibling) {
    const name = placeholder(
      node.name === 'DecoratedStatement' ? node.lastChild! : node
    );
    if (name) {
      found.push(text.slice(name.from, name.to));
    }
  }
  return found;
}

function placeholder(node: SyntaxNode): SyntaxNode | null {
  const name = node.getChild('VariableName');
  if (/Definition$/.test(node.name)) {
    const body = node.getChild('Body');
    return body && doesNothing(body) ? name : null;
  }
  return node.name === 'AssignStatement' &&
    /^(None|Ellipsis)$/.test(node.lastChild?.name ?? '')
    ? name
    : null;
}

/** Functions within count as well: the methods of a class that is to be written. */
function doesNothing(body: SyntaxNode): boolean {
  for (let node = body.firstChild; node; node = node.nextSibling) {
    const inner =
      node.name === 'FunctionDefinition' ? node.getChild('Body') : null;
    const empty =
      NOTHING_DONE.test(node.name) ||
      (node.name === 'ExpressionStatement' &&
        NO_VALUE.test(node.firstChild?.name ?? '')) ||
      (inner !== null && doesNothing(inner));
    if (!empty) {
      return false;
    }
  }
  return true;
}
