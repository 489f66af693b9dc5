/** Lines of a Python source, so that no simple statement is cut by their first or last one. */
import type { SyntaxNode } from '@lezer/common';
import { isForeignMagic } from '../python/magics';
import { parsePython } from '../python/syntax';
import type { Part } from './part';

const COMPOUND =
  /^(?:(?:If|For|While|Try|With|Match|Decorated)Statement|(?:Function|Class)Definition)$/;

/**
 * The part, extended to the ends of statements that it holds the start or the
 * end of: `total = sum(` to its closing bracket, `def f(` to its colon. Lines
 * within one statement, such as rows of a dict, stay as they are, and so does a
 * part of a block. Other languages: the part.
 */
export function wholeStatements(
  source: string,
  part: Part,
  language: string
): Part {
  if (language !== 'python' || isForeignMagic(source)) {
    return part;
  }
  const { root, text } = parsePython(source);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  let { first, last } = part;
  root.cursor().iterate(node => {
    const end = endOf(node.node);
    if (end === null) {
      return;
    }
    const from = lineAt(node.from);
    const to = lineAt(text.slice(0, end).trimEnd().length);
    const holdsStart = first <= from && from <= last;
    const holdsEnd = first <= to && to <= last;
    if (holdsStart !== holdsEnd) {
      first = Math.min(first, from);
      last = Math.max(last, to);
    }
  });
  return { first, last };
}

/** Where a simple statement ends, or the head of a compound one; null for other nodes. */
function endOf(node: SyntaxNode): number | null {
  if (COMPOUND.test(node.name)) {
    return node.getChild('Body')?.from ?? null;
  }
  return /Statement$/.test(node.name) ? node.to : null;
}
