/** Other readings of code that is no Python as it stands; the first that is counts. */
import { syntaxErrorAt } from '../python/syntax';
import { bindsAll } from './choice';
import { unescapeHtml } from './envelope';
import { isCodeLine, isSession, withoutPrompts } from './looks';

/**
 * `code` as it was most likely meant: without a label, prompts or prose around it, and
 * without HTML entities, typographic quotes or no-break spaces. Unchanged if it has no
 * syntax error, or if no reading of it is free of them.
 *
 * @param needs - names that a reading must define.
 */
export function repairPython(code: string, needs: readonly string[]): string {
  if (code.trim() === '') {
    return code;
  }
  // A name alone, so no syntax error.
  code = withoutLabel(code);
  if (syntaxErrorAt(code) === null) {
    return code;
  }
  for (const read of READINGS) {
    const other = read(code);
    const isBetter =
      other !== code &&
      other.trim() !== '' &&
      syntaxErrorAt(other) === null &&
      bindsAll(other, 'python', needs);
    if (isBetter) {
      return other;
    }
  }
  return code;
}

type Reading = (code: string) => string;

const withoutLabel: Reading = code =>
  code.replace(/^\s*(?:python3?|py|ipython)[ \t]*\n/i, '');
const plainSpaces: Reading = code => code.replace(/[\u00a0\u2007\u202f]/g, ' ');
const plainQuotes: Reading = code =>
  plainSpaces(code).replace(/[“”„]/g, '"').replace(/[‘’]/g, "'");

const READINGS: readonly Reading[] = [
  code => (isSession(code) ? withoutPrompts(code) : code),
  unescapeHtml,
  plainSpaces,
  plainQuotes,
  withoutProse,
  code => withoutProse(unescapeHtml(plainQuotes(code)))
];

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
