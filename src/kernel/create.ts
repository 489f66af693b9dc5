/**
 * Chooses where attempts run: a fork of the kernel where it can be, else
 * processes with copies of its variables, else the live kernel if allowed.
 */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { systemClock, type IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import { languageName } from '../core/languages/list';
import { liveIsolation, type Isolation } from '../core/domain/execution';
import type { IExecutor, PausedFrame } from '../core/domain/executor';
import { whileAlive } from './channel/shellAsk';
import { deadKernel } from './channel/shellRequest';
import { FallbackExecutor, type Stage } from './fallbackExecutor';
import { ForkExecutor } from './fork/forkExecutor';
import { KernelHarness } from './harness';
import { LiveExecutor } from './live/liveExecutor';

type ProbeOptions = {
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

export type ExecutorOptions = ProbeOptions & {
  readonly isolation: 'auto' | 'fork' | 'sidecar' | 'live';
  /** Asked before anything runs in the live kernel, with the reasons why attempts cannot be isolated. */
  readonly allowLive: (reasons: readonly string[]) => Promise<boolean>;
};

type KernelProbe = {
  readonly isolation: Isolation;
  /** As the kernel names it, lower case: `python`, `r`. */
  readonly language: string;
  /** The kernel part, when the kernel could take it; the caller disposes it. */
  readonly harness: KernelHarness | null;
  /** Of attempts in processes of their own; absent where none can be started. */
  readonly sidecar?: Isolation;
};

const SECOND_KERNEL =
  'Set “isolation” to “sidecar” to run attempts in a second kernel.';

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
  const { harness, isolation } = await probe(kernel, { signal });
  harness?.dispose();
  return isolation;
}

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
  const { clock = systemClock, frame, allowLive } = options;
  const probed = await probe(kernel, options);
  const { harness, isolation, language, sidecar } = probed;
  const refuse = (message: string): RefineError => {
    harness?.dispose();
    return new RefineError('kernel', message, { code: 'kernel-refused' });
  };
  const forks = isolation.mode === 'fork';
  const reasons = forks ? [] : isolation.reasons;
  const why = reasons.join(' ');
  const wanted = frame ? 'fork' : options.isolation;
  const makeLive = (because: readonly string[]) =>
    new LiveExecutor(kernel, language, because, clock, harness);
  if (wanted === 'live') {
    return makeLive(['The setting “isolation” is “live”.']);
  }
  const stages: Stage[] = [];
  if (harness !== null && forks && wanted !== 'sidecar') {
    const wayOut = sidecar && !frame ? SECOND_KERNEL : '';
    stages.push({
      make: () => new ForkExecutor(harness, clock, isolation, wayOut)
    });
  }
  if (harness !== null && sidecar && wanted !== 'fork') {
    const chosen = ['The setting “isolation” is “sidecar”.'];
    stages.push({
      make: because =>
        new ForkExecutor(
          harness,
          clock,
          sidecar,
          '',
          wanted === 'auto' ? because : chosen
        )
    });
  }
  if (wanted === 'auto') {
    stages.push({ make: makeLive, allow: allowLive });
  }
  const [first, ...rest] = stages;
  if (!first) {
    const otherwise = wanted === 'fork' ? '“auto”, “sidecar”' : '“auto”';
    throw refuse(
      frame
        ? `Attempts cannot be forked where the debugger has stopped the kernel: ${why} Continue, and refine the cell then.`
        : `Attempts cannot be isolated in this kernel: ${why} Set “isolation” to ${otherwise} or “live” to run them otherwise.`
    );
  }
  if (first.allow && !(await first.allow(reasons))) {
    throw refuse(
      `Nothing was run: attempts cannot be isolated in this kernel (${why}) and running them in the kernel itself was not allowed.`
    );
  }
  return rest.length === 0
    ? first.make(reasons)
    : new FallbackExecutor([first, ...rest], reasons);
}

/** As {@link probeIsolation}, and keeps what it found out. */
async function probe(
  kernel: Kernel.IKernelConnection,
  options: ProbeOptions
): Promise<KernelProbe> {
  const { clock = systemClock, onWaiting, frame = null } = options;
  const signal = options.signal ?? new AbortController().signal;
  const language = await languageOf(kernel, clock, signal);
  const live = (reason: string): KernelProbe => ({
    isolation: liveIsolation([reason]),
    language,
    harness: null
  });
  if (language !== 'python') {
    return live(
      `Attempts can be isolated in Python kernels only; this one runs ${languageName(language)}.`
    );
  }
  const harness = new KernelHarness(
    kernel,
    clock,
    options.keyVariables,
    frame,
    options.hiddenFiles
  );
  try {
    const { isolation, sidecar } = await harness.install(signal, onWaiting);
    return { isolation, language, harness, sidecar };
  } catch (error) {
    harness.dispose();
    if (!(error instanceof RefineError) || error.code !== 'kernel-refused') {
      throw error;
    }
    return live(error.message);
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
  const info = await whileAlive(kernel.info, kernel, clock, signal);
  return info.language_info.name.toLowerCase();
}
