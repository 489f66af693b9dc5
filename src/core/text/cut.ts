/** Shortening of text, always visible in the text itself. */

/** Head and tail of `text` within `limit` characters, with the size of the cut between them. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const mark = `\n… ${text.length - limit} characters left out …\n`;
  const room = Math.max(0, limit - mark.length);
  const head = Math.ceil(room * 0.6);
  const tail = room - head;
  return (
    text.slice(0, head) +
    mark +
    (tail > 0 ? text.slice(text.length - tail) : '')
  );
}

/** The newest of some texts that together are within `limit` characters, in order; the last one is there, cut where it must be. */
export function newestWithin(
  texts: readonly string[],
  limit: number
): readonly string[] {
  let room = limit;
  const newest = [...texts]
    .reverse()
    .map((text, i) => (i === 0 ? cutMiddle(text, limit) : text));
  const end = newest.findIndex(text => (room -= text.length) < 0);
  return newest.slice(0, end < 0 ? undefined : end).reverse();
}

/** The lines of `text` as one. Blanks within a line stay: they may be in a literal. */
export function oneLine(text: string): string {
  return text
    .split(/[\n\r]/)
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ');
}

/** The first `limit` characters of {@link oneLine}, with an ellipsis when cut. */
export function cutLine(text: string, limit: number): string {
  const line = oneLine(text);
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}

const LONE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** `text` with U+FFFD for halves of surrogate pairs: those cannot be encoded, and end a request. */
export function wellFormed(text: string): string {
  return text.replace(LONE, '\uFFFD');
}
