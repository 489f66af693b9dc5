/** Where two long texts part, in words. */

const LONG = 60;
const AROUND = 24;

/** Null when both are short enough to be compared by eye, or are equal. */
export function textDifference(
  expected: string,
  observed: string
): string | null {
  if (
    expected === observed ||
    (expected.length < LONG && observed.length < LONG)
  ) {
    return null;
  }
  const expectedLines = expected.split('\n');
  const observedLines = observed.split('\n');
  if (expectedLines.length > 1 || observedLines.length > 1) {
    const at = firstDifference(expectedLines, observedLines);
    const lines =
      expectedLines.length === observedLines.length
        ? ''
        : ` (${expectedLines.length} ${expectedLines.length === 1 ? 'line' : 'lines'} expected, ${observedLines.length} observed)`;
    return `first at line ${at + 1}: expected ${quote(expectedLines[at])}, observed ${quote(observedLines[at])}${lines}`;
  }
  const at = firstDifference([...expected], [...observed]);
  const from = Math.max(0, at - AROUND);
  const around = (text: string) =>
    quote(
      (from > 0 ? '…' : '') +
        [...text].slice(from, at + AROUND).join('') +
        ([...text].length > at + AROUND ? '…' : '')
    );
  return `first at character ${at + 1}: expected ${around(expected)}, observed ${around(observed)}`;
}

function firstDifference(a: readonly string[], b: readonly string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) {
    i++;
  }
  return i;
}

function quote(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 160));
}
