/** From an open notebook to the request that the loop takes. */
import type { IExecutor } from '../../../core/domain/executor';
import type { RefineOptions } from '../../../core/options';
import type { RefineRequest } from '../../../core/domain/request';
import { namesToInspect } from '../../../notebook/structure/names';
import { buildRequest } from '../../../notebook/request';
import type { TargetPlan } from '../../../notebook/plan';
import type { FollowedTarget } from './targetFollower';
import { unrunAbove } from './unrunAbove';

/**
 * Ask the kernel for the variables that matter and put the request together.
 *
 * @param frameNames - Local variables of the frame in which attempts run.
 */
export async function notebookRequest(
  followed: FollowedTarget,
  plan: TargetPlan,
  settings: RefineOptions,
  session: string,
  executor: IExecutor,
  signal: AbortSignal,
  frameNames: readonly string[] = []
): Promise<RefineRequest> {
  const { cells, language, panel } = followed;
  const names =
    settings.contextValues === 'none'
      ? []
      : [...new Set([...frameNames, ...namesToInspect(plan, cells, language)])];
  const variables =
    names.length === 0
      ? []
      : await executor.inspect(names, settings.contextValues, signal);
  const unrun = await unrunAbove(followed, plan, executor, signal);
  return buildRequest({
    cells,
    notRun: unrun.cells.map(({ id }) => id),
    plan,
    settings,
    variables,
    session,
    path: panel.context.path,
    language
  });
}
