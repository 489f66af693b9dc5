/** Changes to a program instead of a program: SEARCH/REPLACE blocks and unified diffs. */

const SEARCH_REPLACE =
  /^<{5,9} ?SEARCH[^\n]*\n([\s\S]*?)^={5,9}[ \t]*\n([\s\S]*?)^>{5,9} ?REPLACE[^\n]*$/gm;
/** The lines of a file that a patch adds: `*** Add File: …`, or `--- /dev/null`. */
const NEW_FILE =
  /^(?:\*\*\* Add File:[^\n]*\n|--- \/dev\/null[^\n]*\n\+\+\+[^\n]*\n@@[^\n]*\n)((?:\+[^\n]*(?:\n|$))+)/m;
const HUNK = /^@@[^\n]*\n((?:[ +\-\\][^\n]*(?:\n|$)|(?=\n)\n)+)/gm;
/** A block labelled `diff` without the heads of its hunks. */
const HEADLESS =
  /^(?:`{3,}|~{3,})(?:diff|patch)\b[^\n]*\n(?:---[^\n]*\n\+\+\+[^\n]*\n)?((?:[ +-][^\n]*\n|\n)+)(?=`{3,}|~{3,})/gm;

/**
 * `previous` with the changes of an answer; null if the answer holds none, or one of them
 * does not fit. Line numbers of a diff are not believed: a hunk goes where its lines are.
 */
export function applyPatch(answer: string, previous: string): string | null {
  const [, added] = NEW_FILE.exec(answer) ?? [];
  if (added !== undefined) {
    return added.replace(/^\+/gm, '').trimEnd();
  }
  const changes = [...answer.matchAll(SEARCH_REPLACE)].map(
    ([, from = '', to = '']) => ({ from, to })
  );
  if (changes.length === 0) {
    const hunks = [...answer.matchAll(HUNK)];
    for (const [, body = ''] of hunks.length > 0
      ? hunks
      : answer.matchAll(HEADLESS)) {
      const lines = body.replace(/\n$/, '').split('\n');
      const side = (mark: string) =>
        lines
          .filter(line => line === '' || line[0] === ' ' || line[0] === mark)
          .map(line => `${line.slice(1)}\n`)
          .join('');
      changes.push({ from: side('-'), to: side('+') });
    }
  }
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
