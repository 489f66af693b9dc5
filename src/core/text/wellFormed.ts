const LONE =
  /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** `text` with U+FFFD for halves of surrogate pairs: those cannot be encoded, and end a request. */
export function wellFormed(text: string): string {
  return text.replace(LONE, '\uFFFD');
}
