/** Python as `@lezer/python` parses it: as it stands, or with IPython's magics and shell lines blanked. */
import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { recent } from '../text/recent';
import { blankMagics } from './magics';

/** Levels of nesting that are read; Python itself allows fewer brackets. */
const MAX_DEPTH = 2000;

const EMPTY = parser.parse('');

const parsed = recent(source => {
  const tree = parser.parse(source);
  return isDeeper(tree, source, MAX_DEPTH) ? EMPTY : tree;
});

/** Whether walks of the tree could exhaust the stack. */
function isDeeper(tree: Tree, source: string, limit: number): boolean {
  if (source.length < limit) {
    return false;
  }
  let depth = 0;
  let deepest = 0;
  tree.iterate({
    enter: () => {
      deepest = Math.max(deepest, ++depth);
    },
    leave: () => {
      depth--;
    }
  });
  return deepest > limit;
}

/**
 * The tree of a source as it stands; never fails: what is not Python becomes error nodes, and what is nested too
 * deep to be read is left out.
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
