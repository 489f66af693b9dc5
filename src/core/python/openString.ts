/**
 * Triple-quoted strings of Python that is still being written, or stands among
 * prose: line by line, where the parser has no whole source to read.
 */

/** The quotes of a string that continues over the line's end. */
export type OpenString = '"""' | "'''" | null;

/** What starts outside of one: another, a string that ends on its line, a comment. */
const START = /"""|'''|(["'])(?:\\.|(?!\1)[^\\])*(?:\1|\\?$)|#.*/;

/** The rest of one, with its end. */
const END = {
  '"""': /^(?:\\.|(?!""")[^\\])*"""/,
  "'''": /^(?:\\.|(?!''')[^\\])*'''/
};

/** Which triple-quoted string is open after `line`, given what was open before it. */
export function openStringAfter(line: string, open: OpenString): OpenString {
  let rest = line;
  for (let still = open; ;) {
    if (still) {
      const [text] = END[still].exec(rest) ?? [];
      if (text === undefined) {
        return still;
      }
      rest = rest.slice(text.length);
    }
    const found = START.exec(rest);
    if (!found) {
      return null;
    }
    const [start] = found;
    rest = rest.slice(found.index + start.length);
    still = start === '"""' || start === "'''" ? start : null;
  }
}
