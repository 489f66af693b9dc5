/** Changes to a program instead of a program: a unified diff. */

const HUNK = /^@@[^\n]*\n((?:[ +\-\\][^\n]*(?:\n|$)|(?=\n)\n)+)/gm;

/**
 * `previous` with the changes of an answer; null if the answer holds none, or one of them
 * does not fit. Line numbers of a diff are not believed: a hunk goes where its lines are.
 */
export function applyPatch(answer: string, previous: string): string | null {
  const changes = [...answer.matchAll(HUNK)].map(([, body = '']) => {
    const lines = body.replace(/\n$/, '').split('\n');
    const side = (mark: string) =>
      lines
        .filter(line => line === '' || line[0] === ' ' || line[0] === mark)
        .map(line => `${line.slice(1)}\n`)
        .join('');
    return { from: side('-'), to: side('+') };
  });
  let text = previous.endsWith('\n') ? previous : `${previous}\n`;
  for (const { from, to } of changes) {
    const at = from.trim() === '' ? text.length : text.indexOf(from);
    if (at < 0 || (from.trim() !== '' && text.indexOf(from, at + 1) >= 0)) {
      return null;
    }
    const rest = text.slice(at + (from.trim() === '' ? 0 : from.length));
    text = text.slice(0, at) + to + rest;
  }
  return changes.length === 0 ? null : text.trimEnd();
}
