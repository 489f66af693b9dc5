/** How a session of a target starts: its models, and what is read from the notebook and the kernel. */
import type { ILanguageModel } from '../../../core/domain/model';
import type { RepairGoal } from '../../../core/domain/repair';
import type { FollowUp, RequestChecks } from '../../../core/domain/request';
import type { Part } from '../../../core/part/part';
import { MOST_ATTEMPTS } from '../../../core/settings';
import { requestChecks } from '../../../notebook/request';
import type { RefineStart } from '../../../tokens';
import type { ModelCatalog } from '../model/modelCatalog';
import type { UserSettings } from '../settings';
import { notebookRepair } from '../target/notebookRepair';
import { notebookRequest } from '../target/notebookRequest';
import type { PlannedTarget } from '../target/plannedTarget';
import type { TargetFollower } from '../target/targetFollower';
import { unrunAbove } from '../target/unrunAbove';
import { withSkipped } from './goingOn';
import type { RunWith, SessionStart } from './ports';

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
  readonly follower: TargetFollower;
  readonly catalog: ModelCatalog;
  readonly settings: UserSettings;
};

export function sessionStart(
  { follower, catalog, settings }: StartPorts,
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
    checks: () => checksOf(follower, target),
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

/** The checks that the notebook holds now; null when the target is gone or cannot be refined any more. */
function checksOf(
  follower: TargetFollower,
  { panel, plan }: PlannedTarget
): RequestChecks | null {
  const now = follower.read(panel, plan.target.cellId);
  return now?.plan
    ? requestChecks(
        now.cells,
        {
          ...now.plan,
          assertions: withSkipped(now.plan.assertions, plan.assertions)
        },
        now.language
      )
    : null;
}
