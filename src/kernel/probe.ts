/** How far attempts can be isolated in a given kernel. */
import type { Kernel } from '@jupyterlab/services';
import { DisposableDelegate, DisposableSet } from '@lumino/disposable';
import { systemClock, type IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type { Isolation } from '../core/domain/execution';
import type { PausedFrame } from '../core/domain/executor';
import { KernelHarness } from './harness';
import { watchKernelEnd } from './channel/kernelEnd';
import { liveIsolation } from './live/liveExecutor';
import { kernelEnded } from './channel/shellAsk';
import { deadKernel } from './channel/shellRequest';

export type KernelProbe = {
  readonly isolation: Isolation;
  /** As the kernel names it, lower case: `python`, `r`. */
  readonly language: string;
  /** The kernel part, when the kernel could take it; the caller disposes it. */
  readonly harness: KernelHarness | null;
  /** Of attempts in processes of their own; absent where none can be started. */
  readonly sidecar?: Isolation;
};

/**
 * What an attempt in this kernel is isolated from; changes nothing the user
 * can see. Waits until the kernel is free.
 *
 * @throws RefineError kind `kernel` when the kernel is dead or does not answer;
 * the signal's reason when aborted.
 */
export async function probeIsolation(
  kernel: Kernel.IKernelConnection,
  signal: AbortSignal
): Promise<Isolation> {
  const { harness, isolation } = await probeKernel(kernel, systemClock, signal);
  harness?.dispose();
  return isolation;
}

/** As {@link probeIsolation}, and keeps what it found out. */
export async function probeKernel(
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  signal: AbortSignal,
  onWaiting?: (reason: string | null) => void,
  keyVariables?: readonly string[],
  frame: PausedFrame | null = null,
  hiddenFiles?: readonly string[]
): Promise<KernelProbe> {
  const language = await languageOf(kernel, clock, signal);
  if (language !== 'python') {
    const reason = `Attempts can be isolated in Python kernels only; this one runs ${language}.`;
    return { isolation: liveIsolation([reason]), language, harness: null };
  }
  const harness = new KernelHarness(
    kernel,
    clock,
    keyVariables,
    frame,
    hiddenFiles
  );
  try {
    const { isolation, sidecar } = await harness.install(signal, onWaiting);
    return { isolation, language, harness, sidecar };
  } catch (error) {
    harness.dispose();
    if (!(error instanceof RefineError) || error.code !== 'kernel-refused') {
      throw error;
    }
    return {
      isolation: liveIsolation([error.message]),
      language,
      harness: null
    };
  }
}

async function languageOf(
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  signal: AbortSignal
): Promise<string> {
  signal.throwIfAborted();
  if (kernel.isDisposed || kernel.status === 'dead') {
    throw deadKernel();
  }
  const open = new DisposableSet();
  const broken = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    open.add(
      new DisposableDelegate(() => signal.removeEventListener('abort', onAbort))
    );
    open.add(watchKernelEnd(kernel, clock, end => reject(kernelEnded(end))));
  });
  const info = await Promise.race([kernel.info, broken]).finally(() =>
    open.dispose()
  );
  return info.language_info.name.toLowerCase();
}
