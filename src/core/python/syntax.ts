/** Python as `@lezer/python` parses it: as it stands, or with IPython's magics and shell lines blanked. */
import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { recent } from '../text/recent';
import { blankMagics } from './magics';

const parsed = recent(source => parser.parse(source));

/**
 * The tree of a source as it stands; never fails: what is not Python becomes error nodes.
 *
 * It does not cover line ends at the end of the source: one tree then serves the source with and without them.
 */
export function parseTree(source: string): Tree {
  let end = source.length;
  while (source[end - 1] === '\n') {
    end--;
  }
  return parsed(source.slice(0, end));
}

/** Never fails: what is no Python is an error node. */
export function parsePython(source: string): {
  readonly root: SyntaxNode;
  readonly text: string;
} {
  const text = blankMagics(source);
  return { root: parseTree(text).topNode, text };
}

export function children(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    found.push(child);
  }
  return found;
}
