/** Line differences between two attempts. */
import { diffArrays } from 'diff';

export type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
};

/** Edits beyond which a comparison is given up: it bounds the work to a few milliseconds. */
const MAX_EDITS = 300;

/** All lines of `after` against `before`; where they differ very much, all of one and then all of the other. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDITS }) ?? [
    { added: false, removed: true, value: old },
    { added: true, removed: false, value: now }
  ];
  return changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text
    }))
  );
}

export function plainLines(code: string): readonly DiffLine[] {
  const lines = code.replace(/\n$/, '').split('\n');
  return lines.map(text => ({ kind: 'same', text }));
}
