/** One second kernel: started, with the kernel part in it, and ended with everything in it. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import {
  linkedController,
  throwIfAborted,
  untilAborted
} from '../../core/session/abort';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Isolation } from '../../core/domain/execution';
import type { IExecutor } from '../../core/domain/executor';
import { ForkExecutor } from '../fork/forkExecutor';
import { KernelHarness } from '../harness';
import { LiveExecutor } from '../live/liveExecutor';
import { SidecarCopies } from './sidecarCopies';

/**
 * Starts a kernel of the same kernel specification, in the notebook's folder.
 * It is shut down by who asked for it; the starter does so when the page goes away.
 */
export type StartKernel = () => Promise<Kernel.IKernelConnection>;

/** How long a kernel may take to start and to answer. */
const START_MS = 60_000;

export class SidecarKernel implements IDisposable {
  /**
   * @throws RefineError kind `kernel`, code `kernel-refused`, when it does not
   * start; the signal's reason when aborted. Either way none is left behind.
   */
  static async start(
    startKernel: StartKernel,
    user: KernelHarness,
    clock: IClock,
    signal: AbortSignal
  ): Promise<SidecarKernel> {
    const { controller, unlink } = linkedController(signal);
    const limit = new AbortController();
    const late = notStarted(`it took longer than ${START_MS / 1000} s`);
    clock.sleep(START_MS, limit.signal).then(
      () => controller.abort(late),
      () => undefined
    );
    try {
      throwIfAborted(controller.signal);
      return await SidecarKernel._start(
        startKernel,
        user,
        clock,
        controller.signal
      );
    } catch (error) {
      throwIfAborted(controller.signal);
      throw error instanceof RefineError && error.code === 'kernel-refused'
        ? error
        : notStarted(error instanceof Error ? error.message : String(error));
    } finally {
      limit.abort();
      unlink();
    }
  }

  private static async _start(
    startKernel: StartKernel,
    user: KernelHarness,
    clock: IClock,
    signal: AbortSignal
  ): Promise<SidecarKernel> {
    const starting = startKernel();
    const kernel = await untilAborted(starting, signal).catch(error => {
      // It may come later.
      starting.then(endKernel, () => undefined);
      throw error;
    });
    const { keyVariables, hiddenFiles } = user;
    const harness = new KernelHarness(
      kernel,
      clock,
      keyVariables,
      null,
      hiddenFiles
    );
    const made = new SidecarKernel(harness, user);
    await made._install(clock, signal);
    return made;
  }

  private constructor(
    private readonly _harness: KernelHarness,
    user: KernelHarness
  ) {
    this.copies = new SidecarCopies(user, _harness);
  }

  readonly copies: SidecarCopies;

  /** As it would be for attempts of its own. */
  get isolation(): Isolation {
    return this._isolation!;
  }

  /** Runs attempts in forks of this kernel, or in itself where it cannot be forked. */
  get executor(): IExecutor {
    return this._executor!;
  }

  get canFork(): boolean {
    return this.isolation.mode === 'fork';
  }

  get isDisposed(): boolean {
    return this._harness.isDisposed;
  }

  /** Count a run that uses it; give it back with {@link release}. */
  hold(): void {
    this._runs++;
  }

  release(): void {
    this._runs--;
    if (this._retired) {
      this._endUnused();
    }
  }

  /** End it as soon as no run uses it. */
  retire(): void {
    this._retired = true;
    this._endUnused();
  }

  get isRetired(): boolean {
    return this._retired;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._retired = true;
    this._executor?.dispose();
    this._harness.dispose();
    endKernel(this._harness.kernel);
  }

  private async _install(clock: IClock, signal: AbortSignal): Promise<void> {
    const { _harness: harness } = this;
    const { kernel } = harness;
    try {
      await untilAborted(kernel.info, signal);
      const { isolation } = await harness.install(signal);
      const { mode, reasons } = isolation;
      this._isolation = isolation;
      this._executor =
        mode === 'fork'
          ? new ForkExecutor(harness, clock, isolation)
          : new LiveExecutor(kernel, 'python', reasons, clock, harness);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  private _endUnused(): void {
    if (this._runs === 0) {
      this.dispose();
    }
  }

  private _isolation: Isolation | null = null;
  private _executor: (IExecutor & IDisposable) | null = null;
  private _runs = 0;
  private _retired = false;
}

function endKernel(kernel: Kernel.IKernelConnection): void {
  if (!kernel.isDisposed) {
    kernel
      .shutdown()
      // Gone already.
      .catch(() => undefined)
      .finally(() => kernel.dispose());
  }
}

function notStarted(why: string): RefineError {
  return new RefineError(
    'kernel',
    `A second kernel for the attempts could not be started: ${why}.`,
    {
      code: 'kernel-refused'
    }
  );
}
