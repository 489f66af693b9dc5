/** The function or class of a Python source that a line belongs to. */
import type { SyntaxNode } from '@lezer/common';
import { isForeignMagic } from '../python/magics';
import { parsePython } from '../python/syntax';
import { blockEnd, type Part } from './part';

/**
 * The innermost definition that has the line (from 1), with its decorators and
 * the comments at its end; null outside of any, and in other languages.
 */
export function definitionAt(
  source: string,
  line: number,
  language: string
): Part | null {
  if (language !== 'python' || isForeignMagic(source)) {
    return null;
  }
  const { root, text } = parsePython(source);
  const lines = source.split('\n');
  let found: Part | null = null;
  root.cursor().iterate(node => {
    if (/^(?:Function|Class)Definition$/.test(node.name)) {
      const part = linesOf(node.node, text, lines);
      if (part.first <= line && line <= part.last) {
        found = part;
      }
    }
  });
  return found;
}

function linesOf(
  node: SyntaxNode,
  text: string,
  lines: readonly string[]
): Part {
  const { parent } = node;
  const whole = parent?.name === 'DecoratedStatement' ? parent : node;
  const code = text.slice(0, whole.to).trimEnd();
  const first = lineAt(text, whole.from);
  const last = lineAt(text, code.length);
  return { first, last: blockEnd(lines, first - 1, last - 1) + 1 };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

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
  let { first, last } = part;
  root.cursor().iterate(node => {
    const end = endOf(node.node);
    if (end === null) {
      return;
    }
    const from = lineAt(text, node.from);
    const to = lineAt(text, text.slice(0, end).trimEnd().length);
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
