/**
 * Undo and redo within the review of a change: each accepted or rejected part is
 * one step. The notebook's own undo does not include it, because the cell
 * does not change before the review ends.
 */
import {
  getOriginalDoc,
  originalDocChangeEffect,
  updateOriginalDoc
} from '@codemirror/merge';
import {
  Annotation,
  type ChangeSet,
  type Extension,
  type Transaction
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** What takes one part back: a rejected one in the proposed text, an accepted one in the text that it is compared with. */
type Step = { readonly proposed: ChangeSet } | { readonly original: ChangeSet };

type Direction = 'undo' | 'redo';

const travel = Annotation.define<Direction>();

export class ReviewHistory {
  /** For the editor of the review, beside its diff. */
  readonly extension: Extension = EditorView.updateListener.of(
    ({ transactions }) => transactions.forEach(one => this.record(one))
  );

  get canUndo(): boolean {
    return this.steps.undo.length > 0;
  }

  /** Take back the last part that was accepted or rejected, or do it again; false when there is none. */
  go(view: EditorView, direction: Direction): boolean {
    const step = this.steps[direction].pop();
    if (!step) {
      return false;
    }
    const annotations = travel.of(direction);
    view.dispatch(
      'proposed' in step
        ? { changes: step.proposed, annotations }
        : {
            effects: originalDocChangeEffect(view.state, step.original),
            annotations
          }
    );
    return true;
  }

  private record(transaction: Transaction): void {
    const inverse = inverseOf(transaction);
    if (!inverse) {
      return;
    }
    const { undo, redo } = this.steps;
    const travelled = transaction.annotation(travel);
    if (travelled) {
      (travelled === 'undo' ? redo : undo).push(inverse);
    } else if (
      transaction.isUserEvent('accept') ||
      transaction.isUserEvent('revert')
    ) {
      undo.push(inverse);
      redo.length = 0;
    } else {
      // Somebody else has edited the cell: the steps no longer fit.
      undo.length = redo.length = 0;
    }
  }

  private readonly steps: Readonly<Record<Direction, Step[]>> = {
    undo: [],
    redo: []
  };
}

/** Null where neither text changed. */
function inverseOf(transaction: Transaction): Step | null {
  const { changes, effects, startState } = transaction;
  if (transaction.docChanged) {
    return { proposed: changes.invert(startState.doc) };
  }
  for (const effect of effects) {
    if (effect.is(updateOriginalDoc)) {
      const { value } = effect;
      return { original: value.changes.invert(getOriginalDoc(startState)) };
    }
  }
  return null;
}

/** What a key asks for: Ctrl/Cmd+Z, Ctrl/Cmd+Shift+Z or Ctrl/Cmd+Y. */
export function directionOf(event: KeyboardEvent): Direction | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) {
    return null;
  }
  const key = event.key.toLowerCase();
  return key === 'z'
    ? event.shiftKey
      ? 'redo'
      : 'undo'
    : key === 'y'
      ? 'redo'
      : null;
}
