/**
 * Triple-quoted strings of Python that is still being written, or stands among
 * prose: line by line, where the parser has no whole source to read.
 */

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
