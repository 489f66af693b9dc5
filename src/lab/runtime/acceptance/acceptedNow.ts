/**
 * What is still true of an attempt that was written or taken back: the user may
 * have undone, edited or run the cell since. Open this when a text about the cell
 * in the panel is out of date.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { SessionState } from '../../../core/events/state';
import { holdsAttempt } from '../../../notebook/acceptedSource';
import { isWritten, type AcceptState } from '../../../tokens';
import { capitalized } from '../words';
import { insertedMessage, type HowInserted } from './acceptanceWords';

/** What was done last, and what its message depends on. */
export type Noted = {
  readonly session: SessionState;
  readonly state: AcceptState;
  /** Of an attempt that was written and not run by us. */
  readonly inserted?: Omit<HowInserted, 'isPaused' | 'hasRun'>;
  /** The user's edit that Restore replaced. */
  readonly edit?: string;
};

/** The notebook as it is now. */
export type CellNow = {
  /** Source of the target. */
  readonly held: string;
  /** What Restore puts there. */
  readonly before: string;
  /** What was written last; null: nothing since the page was loaded. */
  readonly written: string | null;
  readonly isPaused: boolean;
  /** The target has run since it was written. */
  readonly hasRun: boolean;
  /** `cell 2`. */
  readonly label: string;
};

/**
 * The state to show. After Restore and Undo the attempt counts as written again;
 * after writing and Undo the cell counts as restored.
 */
export function acceptedNow(
  noted: Noted,
  now: CellNow,
  trans: TranslationBundle
): AcceptState {
  const { state, inserted } = noted;
  if (state.status === 'restored') {
    return now.held === now.before ? state : afterRestore(noted, now, trans);
  }
  if (!isWritten(state)) {
    return state;
  }
  const undone =
    now.written === null || now.held === now.written
      ? null
      : afterUndo(noted, now, trans);
  return (
    undone ??
    (inserted
      ? {
          ...state,
          message: insertedMessage({ ...inserted, ...now }, now.label, trans)
        }
      : state)
  );
}

/** The cell was restored, and holds something else now. */
function afterRestore(
  { session, state, edit }: Noted,
  { held, written, label }: CellNow,
  trans: TranslationBundle
): AcceptState {
  if (held === edit) {
    return {
      attempt: state.attempt,
      status: 'edited',
      message: trans.__('%1 contains your edit again.', capitalized(label))
    };
  }
  const back = held === written ? state.attempt : heldAttempt(session, held);
  return back === null
    ? {
        ...state,
        message: trans.__(
          '%1 was edited after it was restored.',
          capitalized(label)
        )
      }
    : containsAttempt(back, label, trans);
}

/** The cell no longer holds what was written; null where the user edited it, which the headline says. */
function afterUndo(
  { session, state }: Noted,
  { held, before, label }: CellNow,
  trans: TranslationBundle
): AcceptState | null {
  const back = heldAttempt(session, held);
  if (back !== null) {
    return containsAttempt(back, label, trans);
  }
  return held === before
    ? {
        attempt: state.attempt,
        status: 'restored',
        message: trans.__(
          '%1 contains its earlier code again.',
          capitalized(label)
        )
      }
    : null;
}

/** After a reload or Undo: the cell holds this attempt, and no more is known. */
export function containsAttempt(
  attempt: number,
  label: string,
  trans: TranslationBundle
): AcceptState {
  return {
    attempt,
    status: 'inserted',
    message: trans.__('%1 contains attempt %2.', capitalized(label), attempt)
  };
}

/** Number of the attempt that a source is; null: of none. */
export function heldAttempt(
  { request, attempts }: SessionState,
  held: string
): number | null {
  const found = attempts.find(
    ({ attempt, code }) =>
      attempt > 0 && code !== '' && holdsAttempt(request!, code, held)
  );
  return found?.attempt ?? null;
}
