/** Names that a cell announces and leaves to be written: `def median(values): ...`, `total = None`. */
import type { SyntaxNode } from '@lezer/common';
import type { Target } from '../domain/request';
import { isBlankTarget } from './cell';
import { children, parsePython, undecorated } from './syntax';

const NOTHING_DONE = /^(PassStatement|RaiseStatement|Comment|:)$/;
/** An exception needs no body. */
const EXCEPTION = /(Error|Exception|Warning)\s*\)$/;
const NO_VALUE = /^(String|ContinuedString|Ellipsis)$/;
/** Marks the place where code is to be written. */
const ASKS = /#.*\b(?:your|todo|fill|complete|implement|code here)\b/i;
/** What stands around that place in a function: `super().__init__()`, `out = None`, `return out`. */
const AROUND = /^(?:super\(.*\)\.\w+\(.*\)|[\w.]+ *= *None|return(?: \w+)?)$/;

/** Those of a source's top level, in Python. */
export function placeholders(source: string): readonly string[] {
  const { root, text } = parsePython(source);
  return children(root)
    .map(undecorated)
    .filter(node => isOpen(node, text) && !isException(node, text))
    .flatMap(node => node.getChild('VariableName') ?? [])
    .map(name => text.slice(name.from, name.to));
}

/** True when nothing of the target is written yet: it is blank, or has placeholders, with imports and remarks at most. */
export function isUnwritten(
  target: Pick<Target, 'kind' | 'source'>,
  language: string
): boolean {
  if (isBlankTarget(target, language)) {
    return true;
  }
  const { root, text } = parsePython(target.source);
  const others = children(root).filter(
    node => !/^(?:Comment|ImportStatement)$/.test(node.name) && !isRemark(node)
  );
  return (
    target.kind === 'code' &&
    language === 'python' &&
    others.length > 0 &&
    others.every(node => isOpen(undecorated(node), text))
  );
}

/** Functions within count as well: the methods of a class that is to be written. */
function isOpen(node: SyntaxNode, text: string): boolean {
  const body = /Definition$/.test(node.name) && node.getChild('Body');
  if (!body) {
    const value = node.lastChild?.name ?? '';
    return node.name === 'AssignStatement' && /^(None|Ellipsis)$/.test(value);
  }
  return children(body).every(part =>
    part.name === 'FunctionDefinition'
      ? isOpen(part, text)
      : NOTHING_DONE.test(part.name) ||
        isRemark(part) ||
        (node.name === 'FunctionDefinition' &&
          AROUND.test(text.slice(part.from, part.to)) &&
          ASKS.test(text))
  );
}

/** A docstring, or three dots. */
function isRemark(node: SyntaxNode): boolean {
  return (
    node.name === 'ExpressionStatement' &&
    NO_VALUE.test(node.firstChild?.name ?? '')
  );
}

function isException(node: SyntaxNode, text: string): boolean {
  const bases = node.getChild('ArgList');
  return bases !== null && EXCEPTION.test(text.slice(bases.from, bases.to));
}
