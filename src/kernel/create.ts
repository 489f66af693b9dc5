/** Chooses where attempts run: a fork of the kernel where it can be, else the live kernel if allowed. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { systemClock, type IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type { IExecutor } from '../core/executor';
import { FallbackExecutor } from './fallbackExecutor';
import { ForkExecutor } from './forkExecutor';
import { LiveExecutor } from './liveExecutor';
import { probeKernel } from './probe';

export type ExecutorOptions = {
  readonly isolation: 'auto' | 'fork' | 'live';
  /** Asked before anything runs in the live kernel, with the reasons why attempts cannot be isolated. */
  readonly allowLive: (reasons: readonly string[]) => Promise<boolean>;
  readonly clock?: IClock;
  readonly signal?: AbortSignal;
  /** What probing waits for, `waiting for the kernel: cell [12] is running`; null when it goes on. */
  readonly onWaiting?: (reason: string | null) => void;
};

/**
 * Probe the kernel and give the executor that fits. The caller disposes it;
 * the kernel connection stays the caller's.
 *
 * @throws RefineError kind `kernel`: the kernel is dead or does not answer, a
 * fork was demanded and cannot be had, or running live was not allowed.
 */
export async function createExecutor(
  kernel: Kernel.IKernelConnection,
  options: ExecutorOptions
): Promise<IExecutor & IDisposable> {
  const clock = options.clock ?? systemClock;
  const signal = options.signal ?? new AbortController().signal;
  const probe = await probeKernel(kernel, clock, signal, options.onWaiting);
  const { harness, isolation, language } = probe;
  const live = (reasons: readonly string[]) =>
    new LiveExecutor(kernel, language, reasons, clock, harness);
  if (options.isolation === 'live') {
    return live(['The setting “isolation” is “live”.']);
  }
  if (harness !== null && isolation.mode === 'fork') {
    const fork = new ForkExecutor(harness, clock, isolation);
    return options.isolation === 'fork'
      ? fork
      : new FallbackExecutor(fork, live, options.allowLive);
  }
  const { reasons } = isolation;
  if (options.isolation === 'fork') {
    harness?.dispose();
    throw new RefineError(
      'kernel',
      `Attempts cannot be isolated in this kernel: ${reasons.join(' ')} Set “isolation” to “auto” or “live” to run them in the kernel itself.`,
      { code: 'kernel-refused' }
    );
  }
  if (!(await options.allowLive(reasons))) {
    harness?.dispose();
    throw liveNotAllowed(reasons);
  }
  return live(reasons);
}

function liveNotAllowed(reasons: readonly string[]): RefineError {
  return new RefineError(
    'kernel',
    `Nothing was run: attempts cannot be isolated in this kernel (${reasons.join(' ')}) and running them in the kernel itself was not allowed.`,
    { code: 'kernel-refused' }
  );
}
