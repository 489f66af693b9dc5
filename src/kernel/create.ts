/**
 * Chooses where attempts run: a fork of the kernel where it can be, else
 * processes with copies of its variables, else the live kernel if allowed.
 */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { systemClock, type IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type { Isolation } from '../core/domain/execution';
import type { IExecutor, PausedFrame } from '../core/domain/executor';
import { FallbackExecutor, type Stage } from './fallbackExecutor';
import { ForkExecutor } from './fork/forkExecutor';
import type { KernelHarness } from './harness';
import { LiveExecutor } from './live/liveExecutor';
import { probeKernel } from './probe';

export type ExecutorOptions = {
  readonly isolation: 'auto' | 'fork' | 'sidecar' | 'live';
  /** Asked before anything runs in the live kernel, with the reasons why attempts cannot be isolated. */
  readonly allowLive: (reasons: readonly string[]) => Promise<boolean>;
  readonly clock?: IClock;
  readonly signal?: AbortSignal;
  /** What probing waits for, `waiting for the kernel: cell [12] is running`; null when it continues. */
  readonly onWaiting?: (reason: string | null) => void;
  /** Environment variables that hold keys of models, as the server reports them: attempts run without. */
  readonly keyVariables?: readonly string[];
  /** Absolute paths, as the kernel has them, of files that no attempt may read, beside its notebook. */
  readonly hiddenFiles?: readonly string[];
  /** Where the debugger has stopped the kernel: attempts are forked there, and nowhere else. */
  readonly frame?: PausedFrame;
};

const SECOND_KERNEL =
  'Set “isolation” to “sidecar” to run attempts in a second kernel.';

/**
 * Probe the kernel and give the executor that fits. The caller disposes it;
 * the kernel connection stays the caller's.
 *
 * @throws RefineError kind `kernel`: the kernel is dead or does not answer, a
 * fork or a second kernel was demanded and cannot be had, or running live was
 * not allowed.
 */
export async function createExecutor(
  kernel: Kernel.IKernelConnection,
  options: ExecutorOptions
): Promise<IExecutor & IDisposable> {
  const clock = options.clock ?? systemClock;
  const signal = options.signal ?? new AbortController().signal;
  const { onWaiting, keyVariables, frame, hiddenFiles } = options;
  const probe = await probeKernel(
    kernel,
    clock,
    signal,
    onWaiting,
    keyVariables,
    frame,
    hiddenFiles
  );
  const { harness, isolation, language, sidecar } = probe;
  const { allowLive } = options;
  const makeLive = (reasons: readonly string[]) =>
    new LiveExecutor(kernel, language, reasons, clock, harness);
  if (frame) {
    if (harness === null || isolation.mode !== 'fork') {
      harness?.dispose();
      throw new RefineError(
        'kernel',
        `Attempts cannot be forked where the debugger has stopped the kernel: ${isolation.reasons.join(' ')} Continue, and refine the cell then.`,
        { code: 'kernel-refused' }
      );
    }
    return new ForkExecutor(harness, clock, isolation);
  }
  if (options.isolation === 'live') {
    return makeLive(['The setting “isolation” is “live”.']);
  }
  const forks = isolation.mode === 'fork';
  const reasons = forks ? [] : isolation.reasons;
  const wayOut = sidecar ? SECOND_KERNEL : '';
  if (options.isolation === 'fork') {
    if (harness === null || !forks) {
      harness?.dispose();
      throw cannotIsolate(reasons, '“auto”, “sidecar” or “live”');
    }
    return new ForkExecutor(harness, clock, isolation, wayOut);
  }
  if (options.isolation === 'sidecar') {
    if (harness === null || !sidecar) {
      harness?.dispose();
      throw cannotIsolate(reasons, '“auto” or “live”');
    }
    return new ForkExecutor(harness, clock, sidecar, '', {
      sidecar: true,
      reasons: ['The setting “isolation” is “sidecar”.'],
      demandAll: false
    });
  }
  const live: Stage = { make: makeLive, allow: allowLive };
  const stages: readonly [Stage, ...Stage[]] =
    harness !== null && sidecar
      ? [sidecarStage(harness, clock, sidecar), live]
      : [live];
  if (harness !== null && forks) {
    const fork = {
      make: () => new ForkExecutor(harness, clock, isolation, wayOut)
    };
    return new FallbackExecutor([fork, ...stages]);
  }
  const [first, ...rest] = stages;
  if (first.allow && !(await first.allow(reasons))) {
    harness?.dispose();
    throw liveNotAllowed(reasons);
  }
  return rest.length === 0
    ? makeLive(reasons)
    : new FallbackExecutor([first, ...rest], reasons);
}

function sidecarStage(
  harness: KernelHarness,
  clock: IClock,
  isolation: Isolation
): Stage {
  return {
    make: reasons =>
      new ForkExecutor(harness, clock, isolation, '', {
        sidecar: true,
        reasons,
        demandAll: true
      })
  };
}

function cannotIsolate(
  reasons: readonly string[],
  otherModes: string
): RefineError {
  return new RefineError(
    'kernel',
    `Attempts cannot be isolated in this kernel: ${reasons.join(' ')} Set “isolation” to ${otherModes} to run them otherwise.`,
    { code: 'kernel-refused' }
  );
}

function liveNotAllowed(reasons: readonly string[]): RefineError {
  return new RefineError(
    'kernel',
    `Nothing was run: attempts cannot be isolated in this kernel (${reasons.join(' ')}) and running them in the kernel itself was not allowed.`,
    { code: 'kernel-refused' }
  );
}
