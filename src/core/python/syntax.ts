/** Python as `@lezer/python` parses it: as it stands, or with IPython's magics and shell lines blanked. */
import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/python';
import { recent } from '../text/recent';

/** Cell magics whose body is still Python. */
const PYTHON_BODIES =
  /^%%(time|timeit|capture|prun|memit|mprun|lprun|(i|run_)?pytest|unittest\w*)\b/;

/** What a student is to fill in: `<YOUR CODE>`, `<FILL IN>`. */
const BLANK = /<(?:YOUR|FILL|INSERT|COMPLETE)\b[^<>\n]*>/g;

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
  const text = blankMagics(source).replace(BLANK, gap =>
    '_'.repeat(gap.length)
  );
  return { root: parseTree(text).topNode, text };
}

/** False where this parser, which accepts less than Python does, finds an error in a cell. */
export function looksValid(
  { source }: { readonly source: string },
  language: string
): boolean {
  let isValid = true;
  if (language === 'python' && !isForeignMagic(source)) {
    parsePython(source)
      .root.cursor()
      .iterate(node => {
        isValid &&= !node.type.isError;
      });
  }
  return isValid;
}

export function children(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    found.push(child);
  }
  return found;
}

/** The definition below its decorators; any other statement as it is. */
export function undecorated(node: SyntaxNode): SyntaxNode {
  return node.name === 'DecoratedStatement' ? (node.lastChild ?? node) : node;
}

/** Name of the cell magic on the first non-blank line (`bash`), or null. */
export function cellMagic(source: string): string | null {
  return /^\s*%%(\w+)/.exec(source)?.[1] ?? null;
}

/** True when the body of the cell is not in the kernel's own language. */
export function isForeignMagic(source: string): boolean {
  return /^\s*%%/.test(source) && !PYTHON_BODIES.test(source.trimStart());
}

/**
 * The source with magic, shell and help lines replaced by blanks of the same length,
 * and the magic alone before a statement that it runs: `%time x = f()`.
 */
function blankMagics(source: string): string {
  if (!/[%!?]/.test(source)) {
    return source;
  }
  return source
    .split('\n')
    .map(line =>
      line
        .replace(/^%(time(?:it)?)(?= +[^\s-])/, (_, name: string) =>
          'pass;'.padEnd(name.length + 1)
        )
        .replace(/^(\s*(%%?[a-zA-Z]|!(?!=)|\?).*|[^#'"]*\?\s*)$/, blank)
    )
    .join('\n');
}

function blank(line: string): string {
  return ' '.repeat(line.length);
}
