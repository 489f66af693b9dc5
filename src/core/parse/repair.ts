/** Another reading of code that is no Python as it stands: without what stands around it. */
import { syntaxErrorAt } from '../python/syntax';
import { bindsAll } from './choice';
import { isCodeLine } from './looks';

/** A cell that writes or runs code elsewhere defines no name. */
const FILE_MAGIC = /^\s*%%(?:writefile|file|python3?)\b[^\n]*\n/;

/**
 * `code` without the language's name above it, and without prose around it where that
 * makes a syntax error go away; else unchanged.
 *
 * @param needs - names that a reading must define.
 */
export function repairPython(code: string, needs: readonly string[]): string {
  // A name alone is no syntax error.
  let plain = code.replace(/^\s*(?:python3?|py|ipython)[ \t]*\n/i, '');
  if (needs.length > 0) {
    plain = plain.replace(FILE_MAGIC, '');
  }
  if (plain.trim() === '' || syntaxErrorAt(plain) === null) {
    return plain;
  }
  const other = withoutProse(plain);
  return other.trim() !== '' &&
    syntaxErrorAt(other) === null &&
    bindsAll(other, 'python', needs)
    ? other
    : plain;
}

/** Lines at the margin that no program has, and all before the first or after the last of the code. */
function withoutProse(code: string): string {
  const lines = code.split('\n');
  const isProse = (line: string) =>
    /^\S/.test(line) &&
    !isCodeLine(line, 'python') &&
    !/^[)\]}#@%!"']/.test(line) &&
    /^(?:[*_`>-]|\d+[.)])?\s*[A-Za-z][\w'’`,()*_-]*(?:[ :.!]|$)/.test(line);
  const start = lines.findIndex(line => line.trim() !== '' && !isProse(line));
  const end = lines.findIndex((line, index) => index > start && isProse(line));
  return start < 0
    ? code
    : lines
        .slice(start, end < 0 ? undefined : end)
        .join('\n')
        .trimEnd();
}
