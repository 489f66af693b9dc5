/** The function or class of a Python source that a line belongs to. */
import type { SyntaxNode } from '@lezer/common';
import { isForeignMagic, parsePython } from '../python/syntax';
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
