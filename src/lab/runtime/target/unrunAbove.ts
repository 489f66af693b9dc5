import type { IExecutor } from '../../../core/domain/executor';
import type { TargetPlan } from '../../../notebook/plan';
import {
  namesAbove,
  unrunCells,
  type UnrunCell
} from '../../../notebook/structure/unrun';
import type { FollowedTarget } from './targetFollower';
import type { Kernel } from '@jupyterlab/services';
import { untilAborted } from '../../../core/session/abort';

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

/** Above the number of any execution. */
const ALL = 1_000_000;
/** A kernel that the debugger has stopped does not answer. */
const LIMIT_MS = 3000;

/** Sources without trailing blanks; null when the kernel does not report them. */
async function kernelHistory(
  kernel: Pick<Kernel.IKernelConnection, 'requestHistory'>,
  signal: AbortSignal
): Promise<ReadonlySet<string> | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const { content } = await untilAborted(
      kernel.requestHistory({
        output: false,
        raw: true,
        hist_access_type: 'range',
        session: 0,
        start: 1,
        stop: ALL
      }),
      limit
    );
    return content.status === 'ok'
      ? new Set(content.history.map(([, , input]) => text(input).trimEnd()))
      : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** With `output` an entry is a pair. */
function text(input: unknown): string {
  return String(Array.isArray(input) ? input[0] : input);
}
