/**
 * Long texts of a journal, each stored once: what an attempt printed, raised or
 * was sent is often what an earlier one did.
 *
 * `stringify` puts a reference in place of a text that was there before; `parse`
 * of the same lines in the same order puts the text back.
 */

/** Shorter texts are stored where they stand. */
const LONG = 200;

/** The one name of a reference: `{"$text": 3}` is the fourth long text. */
const REFERENCE = '$text';

export class TextTable {
  constructor(earlier?: TextTable) {
    this.texts = new Map(earlier?.texts);
  }

  stringify(value: unknown): string {
    const { texts } = this;
    return JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner !== 'string' || inner.length < LONG) {
        return inner;
      }
      const index = texts.get(inner);
      if (index === undefined) {
        texts.set(inner, texts.size);
        return inner;
      }
      return { [REFERENCE]: index };
    });
  }

  /** @throws SyntaxError when it is no JSON, RangeError when a text is missing. */
  parse(line: string): unknown {
    const { texts, found } = this;
    return JSON.parse(line, (_, inner: unknown) => {
      if (typeof inner === 'string') {
        if (inner.length >= LONG && !texts.has(inner)) {
          texts.set(inner, texts.size);
          found.push(inner);
        }
        return inner;
      }
      const index = referenceIn(inner);
      if (index === null) {
        return inner;
      }
      const text = found[index];
      if (text === undefined) {
        throw new RangeError(`no text ${index}`);
      }
      return text;
    });
  }

  private readonly texts: Map<string, number>;
  private readonly found: string[] = [];
}

function referenceIn(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !(REFERENCE in value)) {
    return null;
  }
  const { [REFERENCE]: index } = value;
  return typeof index === 'number' ? index : null;
}
