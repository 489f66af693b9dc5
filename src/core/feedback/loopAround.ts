/** Where a program hangs, as far as its lines show. */

export type Loop = { readonly line: number; readonly text: string };

/** The innermost loop of Python code that a line is in, or starts; null when there is none. */
export function loopAround(source: string, line: number): Loop | null {
  const lines = source.split('\n');
  let indent = Infinity;
  for (let at = line; at > 0; at--) {
    const text = lines[at - 1]?.trim() ?? '';
    const own = (lines[at - 1] ?? '').search(/\S/);
    if (text === '' || text.startsWith('#') || own >= indent) {
      continue;
    }
    if (/^(?:async\s+)?(?:for|while)\b/.test(text)) {
      return { line: at, text };
    }
    if (/^(?:(?:async\s+)?def|class)\b/.test(text)) {
      return null;
    }
    indent = own;
  }
  return null;
}
