import type { IExecutor } from '../../../core/domain/executor';
import type { TargetPlan } from '../../../notebook/plan';
import {
  namesAbove,
  unrunCells,
  type UnrunCell
} from '../../../notebook/structure/unrun';
import { kernelHistory } from './kernelHistory';
import type { FollowedTarget } from './targetFollower';

export type UnrunAbove = {
  readonly cells: readonly UnrunCell[];
  /** Prompt, target or checks name what only they define. */
  readonly needed: boolean;
};

/** The cells above a target that its kernel has not run; only of Python are names known. */
export async function unrunAbove(
  { cells, language, panel }: FollowedTarget,
  plan: TargetPlan,
  executor: Pick<IExecutor, 'inspect'>,
  signal: AbortSignal
): Promise<UnrunAbove> {
  const kernel = panel.sessionContext.session?.kernel;
  const names = language === 'python' ? namesAbove(cells, plan, language) : [];
  if (!kernel || names.length === 0) {
    return { cells: [], needed: false };
  }
  const known = await executor.inspect(names, 'types', signal);
  if (known.length === names.length) {
    return { cells: [], needed: false };
  }
  return unrunCells(cells, plan, language, {
    ran: await kernelHistory(kernel, signal),
    names: new Set(known.map(({ name }) => name))
  });
}
