/** Where the part of a cell stands in another version of the cell. */
import type { Frame, Part } from './part';
import { frameOf, frameOfRequest, textInPlace } from './part';
import type { AttemptState } from '../events/state';

/** Of the lines around the part that say something, as many must be in another version. */
const ENOUGH = 0.6;

type Line = { readonly text: string; readonly index: number };

/**
 * The lines of `source` that stand in place of the part, from 0, the end excluded.
 * Null when too little of what is around the part is in `source`.
 */
export function placeIn(
  { before, text, after }: Frame,
  source: string
): { readonly from: number; readonly to: number } | null {
  const lines = source.split('\n');
  const above = telling(before);
  const part = telling(text);
  const below = telling(after);
  const around = [...above, ...below];
  if (!around.some(line => /[\p{L}\p{N}]{2}/u.test(line.text))) {
    return null;
  }
  const own = telling(source);
  const pairs = commonLines([...above, ...part, ...below], own);
  const isAbove = (i: number) => i < above.length;
  const isBelow = (i: number) => i >= above.length + part.length;
  const aboveThere = pairs.filter(([i]) => isAbove(i));
  const belowThere = pairs.filter(([i]) => isBelow(i));
  const there = aboveThere.length + belowThere.length;
  if (
    there < ENOUGH * around.length ||
    (above.length > 0 && aboveThere.length === 0) ||
    (below.length > 0 && belowThere.length === 0)
  ) {
    return null;
  }
  const last = aboveThere.at(-1);
  const next = belowThere[0];
  const gap = own.slice((last?.[1] ?? -1) + 1, next?.[1]);
  // Lines beside the part may have changed: they are known by what they start with.
  const heads = part.map(headOf);
  const changed = (line: Line) =>
    headOf(line) === '' || heads.includes(headOf(line))
      ? undefined
      : gap.find(other => headOf(other) === headOf(line));
  const start = above
    .slice((last?.[0] ?? -1) + 1)
    .reverse()
    .map(changed)
    .find(Boolean);
  const end = below
    .slice(0, next && next[0] - above.length - part.length)
    .map(changed)
    .find(Boolean);
  const from = (start ?? (last && own[last[1]]))?.index ?? -1;
  const to = (end ?? (next && own[next[1]]))?.index ?? lines.length;
  return lines.slice(from + 1, to).some(line => line.trim() !== '')
    ? { from: from + 1, to }
    : null;
}

/** The part of `before` as the lines of `now`, an edited version of it; null when it is not there any more. */
export function movedPart(
  part: Part,
  before: string,
  now: string
): Part | null {
  const frame = frameOf(before, part);
  const text = textInPlace(frame, now);
  if (text !== null) {
    return text.trim() === ''
      ? null
      : { first: part.first, last: part.first + text.split('\n').length - 1 };
  }
  const place = placeIn(frame, now);
  if (!place) {
    return null;
  }
  const lines = now.split('\n');
  let { from, to } = place;
  while (from < to && lines[from]!.trim() === '') {
    from++;
  }
  while (to > from && lines[to - 1]!.trim() === '') {
    to--;
  }
  return { first: from + 1, last: to };
}

/** `def close` of `def close(self):  # done`, `x` of `x = 1`. */
function headOf({ text }: Line): string {
  return text.split(/[(=:#]/, 1)[0]!.trimEnd();
}

/**
 * What surrounds the part in the next candidate: the cell, or what the user made
 * of it in the last attempt that is an edit. Null when all of the cell is refined.
 */
export function frameFor(
  request: Parameters<typeof frameOfRequest>[0],
  attempts: readonly AttemptState[],
  number: number
): Frame | null {
  const edited = attempts
    .filter(one => one.attempt < number && one.editedFrom !== undefined)
    .at(-1);
  const { part, target } = request;
  const moved = part && edited && movedPart(part, target.source, edited.code);
  return moved ? frameOf(edited.code, moved) : frameOfRequest(request);
}

/** Lines that hold something, without blanks at their end. */
function telling(text: string): readonly Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ text: line.trimEnd(), index }))
    .filter(line => line.text !== '');
}

/** Indices of a longest common sequence of lines. */
function commonLines(
  a: readonly Line[],
  b: readonly Line[]
): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i]!.text === b[j]!.text
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(
              lengths[(i + 1) * width + j]!,
              lengths[i * width + j + 1]!
            );
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]!.text === b[j]!.text) {
      pairs.push([i++, j++]);
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
      i++;
    } else {
      j++;
    }
  }
  return pairs;
}
