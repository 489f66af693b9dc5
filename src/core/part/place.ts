/** Where the part of a cell stands in another version of the cell. */
import type { Frame, Part } from './part';
import { frameOf, frameOfRequest, textInPlace, trimmedPart } from './part';
import type { AttemptState } from '../events/state';

/**
 * The lines of `source` that stand in place of the part, from 0, the end excluded:
 * between the nearest lines above and below it that say something. Null when
 * `source` lacks one of these, or has nothing between them.
 */
export function placeIn(
  frame: Frame,
  source: string
): { readonly from: number; readonly to: number } | null {
  const lines = source.split('\n');
  const { from, to, isKnown } = edges(frame, lines);
  return from !== null &&
    to !== null &&
    isKnown &&
    lines.slice(from, to).some(line => line.trim() !== '')
    ? { from, to }
    : null;
}

/**
 * Where the nearest lines around the part that say something stand in other lines: the
 * index after the one above, and that of the one below; null where they are not there.
 */
export function edges(
  { before, after }: Frame,
  lines: readonly string[]
): {
  readonly from: number | null;
  readonly to: number | null;
  /** One of them is more than a bracket. */
  readonly isKnown: boolean;
} {
  const keys = (text: string) =>
    text
      .split('\n')
      .map(keyOf)
      .filter(key => key !== '');
  const above = keys(before);
  const below = keys(after).reverse();
  /** Where a line is there more than once, as many times from there as around the part. */
  const find = (around: readonly string[], there: readonly string[]) => {
    const key = around.at(-1);
    const found = there.flatMap((line, i) => (keyOf(line) === key ? [i] : []));
    const count = around.filter(other => other === key).length;
    return key === undefined
      ? 0
      : found.length === 0
        ? null
        : found[Math.min(count, found.length) - 1]! + 1;
  };
  const fromEnd = find(below, [...lines].reverse());
  return {
    from: find(above, lines),
    to: fromEnd === null ? null : lines.length - fromEnd,
    isKnown: [above, below].some(side =>
      /[\p{L}\p{N}]{2}/u.test(side.at(-1) ?? '')
    )
  };
}

/** `def close` of `def close(self):  # done`. */
function keyOf(line: string): string {
  return (
    /^\s*(?:(?:async\s+)?def|class|function)\s+\w+/.exec(line)?.[0] ??
    line.replace(/(?<=\S)\s*(?:#|\/\/).*$/, '').trimEnd()
  );
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
  return place && trimmedPart(now, { first: place.from + 1, last: place.to });
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
