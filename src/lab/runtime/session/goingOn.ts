/** What a session that continues takes over from the notebook as it is now. */
import type { SessionState } from '../../../core/events/state';
import { holdsAttempt } from '../../../notebook/acceptedSource';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import type { CheckCell } from '../../../core/domain/request';
import type { DisputeAnswer } from '../../../tokens';
import type { ChosenPart } from '../target/chosenPart';
import type { TargetPlan } from '../../../notebook/plan';

/**
 * The plan of a session that continues. An attempt that was written into the cell
 * is no new start: Restore brings back the source from before it, and a prompt
 * in that source still counts.
 *
 * @param answer - what becomes of the check that the last run ended with.
 */
export function planGoingOn(
  state: SessionState,
  read: TargetPlan,
  answer?: DisputeAnswer
): TargetPlan {
  const { request, attempts } = state;
  const now = withDisputes(state, read, answer);
  const source = wholeSource(now.target);
  if (
    !request ||
    !attempts.some(({ code }) => holdsAttempt(request, code, source))
  ) {
    return now;
  }
  const { prompt, promptOrigin } = now.prompt ? now : request;
  return {
    ...now,
    prompt,
    promptOrigin,
    target: { ...now.target, source: request.target.source }
  };
}

/** The lines that a session refined, in the source that they are counted in; null where it refined the whole cell. */
export function partOf({ request }: SessionState): ChosenPart | null {
  return request?.part
    ? { part: request.part, source: request.target.source }
    : null;
}

/** `cells` without the checks that `before` skips; a cell that was edited has all of its checks again. */
export function withSkipped(
  cells: readonly CheckCell[],
  before: readonly CheckCell[]
): readonly CheckCell[] {
  return cells.map(cell => {
    const skipped = before.find(
      other => other.cellId === cell.cellId && other.source === cell.source
    )?.skipped;
    return skipped ? { ...cell, skipped } : cell;
  });
}

/** Skipped and confirmed checks stay so. */
function withDisputes(
  { request, outcome }: SessionState,
  now: TargetPlan,
  answer: DisputeAnswer | undefined
): TargetPlan {
  const disputed = answer && outcome?.dispute?.check;
  const before = request?.rightChecks ?? [];
  const rightChecks =
    disputed && answer === 'right'
      ? [...before, { cellId: disputed.cellId, source: disputed.source }]
      : before;
  return {
    ...now,
    assertions: withSkipped(now.assertions, request?.assertions ?? []).map(
      cell =>
        answer === 'skip' && disputed?.cellId === cell.cellId
          ? { ...cell, skipped: [...(cell.skipped ?? []), disputed.line] }
          : cell
    ),
    ...(rightChecks.length > 0 ? { rightChecks } : {})
  };
}
