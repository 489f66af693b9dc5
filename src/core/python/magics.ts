/** IPython's magics in a cell: lines that no Python parser reads. */

/** Cell magics whose body is still Python. */
const PYTHON_BODIES =
  /^%%(time|timeit|capture|prun|memit|mprun|lprun|(i|run_)?pytest|unittest\w*)\b/;

/** Name of the cell magic on the first non-blank line (`bash`), or null. */
export function cellMagic(source: string): string | null {
  return /^\s*%%(\w+)/.exec(source)?.[1] ?? null;
}

/** True when the body of the cell is not in the kernel's own language. */
export function isForeignMagic(source: string): boolean {
  return /^\s*%%/.test(source) && !PYTHON_BODIES.test(source.trimStart());
}

/** The source with magic, shell and help lines replaced by blanks of the same length. */
export function blankMagics(source: string): string {
  if (!/[%!?]/.test(source)) {
    return source;
  }
  return source
    .split('\n')
    .map(line =>
      /^\s*(%%?[a-zA-Z]|!(?!=)|\?)|^[^#'"]*\?\s*$/.test(line)
        ? blank(line)
        : line
    )
    .join('\n');
}

function blank(line: string): string {
  return ' '.repeat(line.length);
}
