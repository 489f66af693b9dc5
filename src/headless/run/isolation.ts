/** Where attempts run here: in a fork or a second kernel, or further only as far as the user allows. */
import type { Kernel } from '@jupyterlab/services';
import { systemClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Isolation } from '../../core/domain/execution';
import type { RefineOptions } from '../../core/options';
import { createExecutor } from '../../kernel/create';
import type { IQuestions } from '../cli/questions';

export type KernelExecutor = Awaited<ReturnType<typeof createExecutor>>;

export type IsolationPorts = {
  readonly questions: IQuestions;
  readonly signal: AbortSignal;
  readonly onWaiting: (reason: string | null) => void;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  /** Absolute paths of files that no attempt may read. */
  readonly hiddenFiles?: readonly string[];
  /** True when attempts run what the user wrote: nobody is asked about its effects. */
  readonly isOwnCode?: boolean;
};

/** @throws RefineError kind `kernel` when attempts have real effects that nobody allowed. */
export async function isolatedExecutor(
  kernel: Kernel.IKernelConnection,
  options: RefineOptions,
  ports: IsolationPorts
): Promise<KernelExecutor> {
  const { questions, signal } = ports;
  const executor = await createExecutor(kernel, {
    isolation: options.isolation,
    allowLive: reasons =>
      questions.yes(
        [
          'Attempts cannot be isolated in this kernel.',
          ...reasons,
          'Run them in the kernel itself?'
        ].join(' '),
        signal
      ),
    clock: systemClock,
    ...ports
  });
  try {
    await allowWrites(await executor.prepare(signal), options, ports);
    return executor;
  } catch (error) {
    executor.dispose();
    throw error;
  }
}

/**
 * A fork or a second kernel keeps the memory of the kernel, but where neither an overlay nor
 * Landlock works, what an attempt writes stays written: that is asked for too.
 *
 * @throws RefineError kind `kernel` when it is not allowed.
 */
export async function allowWrites(
  isolation: Isolation,
  options: Pick<RefineOptions, 'allowWrites'>,
  {
    questions,
    signal,
    isOwnCode
  }: Pick<IsolationPorts, 'questions' | 'signal' | 'isOwnCode'>
): Promise<void> {
  if (
    isOwnCode ||
    isolation.mode === 'live' ||
    isolation.files !== 'open' ||
    options.allowWrites
  ) {
    return;
  }
  const what = isolation.network
    ? 'Attempts write files for real here.'
    : 'Attempts write files and reach the network for real here.';
  const warning = [what, ...isolation.reasons].join(' ');
  if (!(await questions.yes(`${warning} Run them anyway?`, signal))) {
    throw new RefineError(
      'kernel',
      `Nothing was run: ${warning} Run again with --allow-writes to allow it.`
    );
  }
}
