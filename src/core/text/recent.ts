/** What a pure function of a text gave for the last texts: a session reads the same ones again and again. */

const COUNT = 64;
/** Longer texts are rare, and their results large. */
const LENGTH = 20_000;

/**
 * @param compute - gives the same for the same text; its results are shared, and so must not be changed.
 * @param count - of texts that are remembered.
 */
export function recent<Result>(
  compute: (text: string) => Result,
  count = COUNT
): (text: string) => Result {
  const results = new Map<string, Result>();
  return text => {
    const known = results.get(text);
    const result = known ?? compute(text);
    if (text.length <= LENGTH) {
      // The last one used is the last one that goes.
      results.delete(text);
      results.set(text, result);
      if (results.size > count) {
        const [oldest] = results.keys();
        results.delete(oldest as string);
      }
    }
    return result;
  };
}
