/** What a cell holds once an attempt is written into it. Of a session for chosen lines, edits of the other lines stay. */
import {
  frameOf,
  frameOfRequest,
  textInPlace,
  withoutPart,
  withPart,
  type Frame
} from '../../../core/part/part';
import { movedPart } from '../../../core/part/place';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { acceptedSource, holdsAttempt } from '../../../notebook/acceptedSource';
import { wholeSource } from '../../../notebook/structure/ownChecks';

export type ProposedSource = {
  readonly source: string;
  /** The user's edits that are lost: none, those of the chosen lines, or all of the cell's. */
  readonly replaces: 'nothing' | 'lines' | 'cell';
  /** Edits outside of the chosen lines are part of `source`: no attempt has run with them. */
  readonly keepsEdits: boolean;
};

/** @param held - what the cell holds now. */
export function proposedSource(
  session: SessionState,
  attempt: AttemptState,
  held: string
): ProposedSource {
  const whole = sourceOf(session, attempt);
  if (isKnown(session, held)) {
    return { source: whole, replaces: 'nothing', keepsEdits: false };
  }
  const frame = frameOfRequest(session.request!);
  const text = frame && textInPlace(frame, whole);
  const now = frame && text !== null && frameNow(session, frame, held);
  if (!now || text === null) {
    return { source: whole, replaces: 'cell', keepsEdits: false };
  }
  const source = text === '' ? withoutPart(now) : withPart(now, text);
  return {
    source,
    replaces: knownTexts(session, frame).includes(now.text)
      ? 'nothing'
      : 'lines',
    keepsEdits: source !== whole
  };
}

/** An attempt as its cell holds it. */
export function sourceOf(
  session: SessionState,
  { code }: AttemptState
): string {
  return acceptedSource(session.request!, code);
}

/** True for what the cell held at the start, and for an attempt. */
export function isKnown({ request, attempts }: SessionState, source: string) {
  return (
    source === wholeSource(request!.target) ||
    attempts.some(({ code }) => holdsAttempt(request!, code, source))
  );
}

/** The cell as it is around the chosen lines; null where those are gone. */
function frameNow(
  session: SessionState,
  frame: Frame,
  held: string
): Frame | null {
  const { part, target } = session.request!;
  const moved = part && movedPart(part, target.source, held);
  if (!moved) {
    return null;
  }
  // New lines right beside the chosen ones are not among them.
  const lines = held.split('\n');
  for (const text of knownTexts(session, frame)) {
    const height = text.split('\n').length;
    for (let first = moved.first; first + height - 1 <= moved.last; first++) {
      if (lines.slice(first - 1, first - 1 + height).join('\n') === text) {
        return frameOf(held, { first, last: first + height - 1 });
      }
    }
  }
  return frameOf(held, moved);
}

/** The chosen lines at the start, and what attempts put in their place. */
function knownTexts(session: SessionState, frame: Frame): readonly string[] {
  return [
    frame.text,
    ...session.attempts.flatMap(
      attempt => textInPlace(frame, sourceOf(session, attempt)) || []
    )
  ];
}
