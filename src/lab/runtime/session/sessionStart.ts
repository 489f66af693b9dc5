/** How a session of a target starts: its models, and what is read from the notebook and the kernel. */
import type { ILanguageModel } from '../../../core/domain/model';
import type { RepairGoal } from '../../../core/domain/repair';
import type { FollowUp, CheckCell } from '../../../core/domain/request';
import type { Part } from '../../../core/part/part';
import { MOST_ATTEMPTS } from '../../../core/settings';
import type { RefineStart, DisputeAnswer } from '../../../tokens';
import type { ModelCatalog } from '../model/modelCatalog';
import type { UserSettings } from '../settings';
import { notebookRepair, notebookRequest } from '../target/notebookRequest';
import type { PlannedTarget } from '../target/plannedTarget';
import { unrunAbove } from '../target/unrunAbove';
import type { RunWith, SessionStart } from './ports';
import type { SessionState } from '../../../core/events/state';
import { holdsAttempt } from '../../../notebook/acceptedSource';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import type { ChosenPart } from '../target/chosenPart';
import type { TargetPlan } from '../../../notebook/plan';

/** What a start may have beside its target. */
export type StartWith = RunWith &
  Pick<RefineStart, 'repair'> & {
    /** The error that a session which continues is to fix. */
    readonly goal?: RepairGoal;
    /** The change that the user asks for after a session. */
    readonly followUp?: FollowUp;
    /** The lines of the target that are refined; none: all. */
    readonly part?: Part;
  };

type StartPorts = {
  readonly catalog: ModelCatalog;
  readonly settings: UserSettings;
};

export function sessionStart(
  { catalog, settings }: StartPorts,
  target: PlannedTarget,
  mode: SessionStart['mode'],
  model: ILanguageModel | null,
  { repair, goal, followUp, part, ...given }: StartWith = {}
): SessionStart {
  const { options } = settings;
  const { count } = given;
  return {
    mode,
    model,
    evaluatorModel: catalog.modelFor(options.evaluatorModel),
    options,
    ...given,
    unrunAbove: (executor, signal) =>
      unrunAbove(target, target.plan, executor, signal),
    request: async (id, executor, signal) => {
      const request = await notebookRequest(
        target,
        target.plan,
        options,
        id,
        executor,
        signal,
        given.frame?.names
      );
      const error =
        goal ??
        (repair
          ? await notebookRepair(target, options, executor, signal)
          : null);
      return {
        ...request,
        ...(part ? { part } : {}),
        ...(error ? { repair: error } : {}),
        ...(followUp ? { followUp } : {}),
        options:
          count === undefined
            ? request.options
            : {
                ...request.options,
                maxAttempts: Math.min(
                  count,
                  MOST_ATTEMPTS,
                  catalog.policy?.maxAttempts ?? count
                )
              }
      };
    }
  };
}

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
function withSkipped(
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
