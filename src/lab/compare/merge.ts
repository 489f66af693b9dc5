/** What every diff in an editor has in common: the review in a cell, and the tab that compares attempts. */
import {
  getChunks,
  getOriginalDoc,
  originalDocChangeEffect
} from '@codemirror/merge';
import { ChangeSet, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** Unchanged lines fold away; two stay around each change. */
export const FOLDED = { margin: 2, minSize: 6 };

/** Number of parts that differ in an editor with a diff. */
export function countChanges(view: EditorView): number {
  return getChunks(view.state)?.chunks.length ?? 0;
}

/** Replace the text that an inline diff compares with. */
export function setOriginal(view: EditorView, text: string): void {
  const original = getOriginalDoc(view.state);
  const next = Text.of(text.split('\n'));
  if (!next.eq(original)) {
    const changes = ChangeSet.of(
      { from: 0, to: original.length, insert: next },
      original.length
    );
    view.dispatch({ effects: originalDocChangeEffect(view.state, changes) });
  }
}
