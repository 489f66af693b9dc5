/** As much of Python's lexical rules as can be had without a parser. */
import type { Target } from '../domain/request';

/** The quotes of a string that continues over the line's end. */
export type OpenString = '"""' | "'''" | null;

/** Which triple-quoted string is open after `line`, given what was open before it. */
export function openStringAfter(line: string, open: OpenString): OpenString {
  let i = 0;
  while (i < line.length) {
    if (open) {
      if (line[i] === '\\') {
        i += 2;
      } else if (line.startsWith(open, i)) {
        i += 3;
        open = null;
      } else {
        i++;
      }
      continue;
    }
    const char = line[i];
    if (char === '#') {
      return null;
    }
    if (char === '"' || char === "'") {
      const triple = char.repeat(3) as '"""' | "'''";
      if (line.startsWith(triple, i)) {
        open = triple;
        i += 3;
      } else {
        i = endOfString(line, i, char);
      }
      continue;
    }
    i++;
  }
  return open;
}

/** Index after the single-quoted string that starts at `start`; the line's end when it is not closed. */
function endOfString(line: string, start: number, quote: string): number {
  let i = start + 1;
  while (i < line.length) {
    if (line[i] === '\\') {
      i += 2;
    } else if (line[i] === quote) {
      return i + 1;
    } else {
      i++;
    }
  }
  return line.length;
}

/** True when a cell holds nothing to run: blank, comments, docstrings, a `%%refine` line. */
export function isBlankSource(source: string, language: string): boolean {
  let open: OpenString = null;
  const python = language === 'python';
  for (const line of source.split(/\r?\n/)) {
    const text = line.trim();
    if (open) {
      const before: OpenString = open;
      open = openStringAfter(line, open);
      if (open === null && !isOnlyDocstring(before + line)) {
        return false;
      }
      continue;
    }
    if (text === '' || text.startsWith('#') || text.startsWith('%%refine')) {
      continue;
    }
    if (!python || !/^[rRuU]?("""|'''|"|')/.test(text)) {
      return false;
    }
    open = openStringAfter(line, null);
    if (open === null && !isOnlyDocstring(text)) {
      return false;
    }
  }
  return true;
}

/** True for one string literal and perhaps a comment, nothing else. */
function isOnlyDocstring(text: string): boolean {
  return /^[rRuU]?(?:"""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*(?:#.*)?$/s.test(
    text.trim()
  );
}

/** True when there is no attempt 0: a target that holds nothing to run, or no text. */
export function isBlankTarget(
  target: Pick<Target, 'kind' | 'source'>,
  language: string
): boolean {
  return target.kind === 'code'
    ? isBlankSource(target.source, language)
    : target.source.trim() === '';
}
