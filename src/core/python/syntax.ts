/** Python as `@lezer/python` parses it, with IPython's magics and shell lines blanked. */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import { blankMagics } from './magics';

/** Never fails: what is no Python is an error node. */
export function parsePython(source: string): {
  readonly root: SyntaxNode;
  readonly text: string;
} {
  const text = blankMagics(source);
  return { root: parser.parse(text).topNode, text };
}

/** Offset of the first syntax error; null where there is none. Some errors (a `return` outside of a function) are not seen. */
export function syntaxErrorAt(source: string): number | null {
  let at: number | null = null;
  parsePython(source)
    .root.cursor()
    .iterate(node => {
      if (node.type.isError && at === null) {
        at = node.from;
      }
      return at === null;
    });
  return at;
}
