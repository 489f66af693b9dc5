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
  return parsed(source.replace(/\n+$/, ''));
}

/** True for the name of a node that is a string literal, f-strings included. */
export function isString(node: string): boolean {
  return node === 'String' || node === 'FormatString';
}

/** Never fails: what is no Python is an error node. */
export function parsePython(source: string): {
  readonly root: SyntaxNode;
  readonly text: string;
} {
  const text = blankMagics(source);
  return { root: parseTree(text).topNode, text };
}

const NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;

/** Offset of the first syntax error; null where there is none. Some errors (a `return` outside of a function) are not seen. */
export function syntaxErrorAt(source: string): number | null {
  let at: number | null = null;
  const { root, text } = parsePython(source);
  root.cursor().iterate(node => {
    // The parser takes any character above U+00A0 for a letter: typographic quotes, dashes.
    const isName =
      node.name !== 'VariableName' || NAME.test(text.slice(node.from, node.to));
    if ((node.type.isError || !isName) && at === null) {
      at = node.from;
    }
    return at === null;
  });
  return at;
}
