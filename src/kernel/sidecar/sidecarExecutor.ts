/** Runs attempts in a second kernel with copies of the variables they name. */
import type { IDisposable } from '@lumino/disposable';
import {
  linkedController,
  throwIfAborted,
  untilAborted
} from '../../core/session/abort';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Execution, Isolation } from '../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  FailedSource,
  IExecutor,
  WarmJob
} from '../../core/domain/executor';
import type { ContextValues } from '../../core/options';
import type { KernelFailure } from '../../core/domain/repair';
import type { VariableInfo } from '../../core/domain/request';
import { Cut } from '../cut';
import { cutExecution } from '../cutExecution';
import type { KernelHarness } from '../harness';
import { KERNEL_END_MESSAGES, watchKernelEnd } from '../channel/kernelEnd';
import type { LeftOut } from '../schema';
import { cannotCopy, CopyInterrupted, type Copied } from './sidecarCopies';
import { SidecarKernel, type StartKernel } from './sidecarKernel';

export type SidecarOptions = {
  readonly startKernel: StartKernel;
  /** Plain sentences: why the user's kernel is not forked. */
  readonly reasons: readonly string[];
  /**
   * True: an attempt that needs a variable which cannot be copied is refused.
   * False: it runs without, and its warnings say so.
   */
  readonly demandAll: boolean;
};

const STOPPED = new Cut('stopped', 'stopped before it ended');

export class SidecarExecutor implements IExecutor, IDisposable {
  /** @param _user The kernel part of the user's kernel; taken over and disposed. */
  constructor(
    private readonly _user: KernelHarness,
    private readonly _clock: IClock,
    private readonly _options: SidecarOptions
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  async prepare(signal: AbortSignal): Promise<Isolation> {
    // After a restart it is another process.
    await this._user.install(signal);
    if (this._ended.signal.aborted && !this.isDisposed) {
      this._ended = new AbortController();
    }
    this._watch();
    const kernel = await this._kernel(signal, false);
    kernel.release();
    return this._isolation(kernel, null);
  }

  inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return this._user.inspect(names, values, signal);
  }

  inspectFailure(
    failed: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null> {
    return this._user.inspectFailure(failed, values, signal);
  }

  /** Only once the copies are there: a child sees them as they are when it is forked. */
  async warm(job: WarmJob): Promise<boolean> {
    const kernel = this._current;
    if (kernel === null || kernel.isDisposed || !kernel.copies.isFresh) {
      return false;
    }
    return (await kernel.executor.warm?.(job)) ?? false;
  }

  async run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const startedAt = this._clock.now();
    this._watch();
    const ended = this._ended.signal;
    const { controller, unlink } = linkedController(ended, signal);
    try {
      const execution = await this._run(job, onProgress, controller.signal);
      throwIfAborted(ended);
      return { ...execution, totalMs: this._clock.now() - startedAt };
    } catch (error) {
      const cut = ended.aborted
        ? ended.reason
        : signal.aborted
          ? STOPPED
          : error;
      if (!(cut instanceof Cut)) {
        throw error;
      }
      return {
        ...cutExecution(job.id, this._known(), cut.stop, cut.message),
        totalMs: this._clock.now() - startedAt
      };
    } finally {
      unlink();
    }
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._unwatch?.dispose();
    this._ended.abort(STOPPED);
    this._user.dispose();
  }

  /** A kernel in which pools were started is replaced by a fresh one, once. */
  private async _run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    for (let again = false; ; again = true) {
      const kernel = await this._kernel(signal, true);
      try {
        const copied = await this._copy(kernel, job, onProgress, signal);
        return await this._runIn(kernel, copied, job, onProgress, signal);
      } catch (error) {
        if (!(error instanceof ForkRefused)) {
          throw error;
        }
        kernel.retire();
        if (again) {
          throw error.cause;
        }
      } finally {
        kernel.release();
      }
    }
  }

  private async _runIn(
    kernel: SidecarKernel,
    copied: Copied,
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    if (!kernel.canFork) {
      // It may change everything there.
      kernel.retire();
    }
    const execution = await kernel.executor
      .run(job, onProgress, signal)
      .catch(error => {
        throw isRefusal(error) && kernel.canFork
          ? new ForkRefused(error)
          : error;
      });
    const result = {
      ...execution,
      isolation: this._isolation(kernel, copied),
      warnings: [...sentences(copied.left), ...execution.warnings]
    };
    const { stop } = execution;
    if (stop !== 'kernel-died' && stop !== 'kernel-restarted') {
      return result;
    }
    kernel.retire();
    return {
      ...result,
      stop: 'crashed',
      stopMessage:
        'crashed: the second kernel, which runs the attempts, ended; your own kernel is unchanged'
    };
  }

  /** One transfer at a time; attempts run beside each other. */
  private _copy(
    kernel: SidecarKernel,
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Copied> {
    const copying = this._copying.then(async () => {
      throwIfAborted(signal);
      const copied = await kernel.copies.update(
        job,
        signal,
        reason => reason !== null && onProgress({ type: 'waiting', reason })
      );
      if (copied.left.length > 0 && this._options.demandAll) {
        throw cannotCopy(
          `Some names of the attempt cannot be copied into a second kernel: ${sentences(copied.left).join('; ')}.`
        );
      }
      return copied;
    });
    this._copying = copying.catch(() => undefined);
    return copying.catch(error => {
      throw error instanceof CopyInterrupted
        ? new Cut('interrupted', 'interrupted while variables were copied')
        : error;
    });
  }

  /**
   * A kernel that may be used, held until it is released.
   *
   * @param take Where it cannot be forked, it is for this run alone.
   */
  private async _kernel(
    signal: AbortSignal,
    take: boolean
  ): Promise<SidecarKernel> {
    for (;;) {
      throwIfAborted(signal);
      if (this._current === null || this._current.isRetired) {
        this._starting ??= this._start();
        await untilAborted(this._starting, signal);
      }
      const kernel = this._current;
      if (kernel !== null && !kernel.isRetired) {
        kernel.hold();
        if (take && !kernel.canFork) {
          this._current = null;
        }
        return kernel;
      }
    }
  }

  /** Ends with the executor and with the user's kernel, and not with one run that waits for it. */
  private async _start(): Promise<void> {
    const ended = this._ended;
    try {
      const kernel = await SidecarKernel.start(
        this._options.startKernel,
        this._user,
        this._clock,
        ended.signal
      );
      this._current = kernel;
      ended.signal.addEventListener('abort', () => kernel.dispose(), {
        once: true
      });
    } finally {
      this._starting = null;
    }
  }

  /** The copies are of one process: with it ends what has them. */
  private _watch(): void {
    if (this._unwatch !== null || this._ended.signal.aborted) {
      return;
    }
    const ended = this._ended;
    this._unwatch = watchKernelEnd(
      this._user.kernel,
      this._clock,
      end => {
        this._unwatch = null;
        ended.abort(new Cut(end, KERNEL_END_MESSAGES[end]));
      },
      this._user.process
    );
  }

  private _isolation(
    { isolation: own }: SidecarKernel,
    copied: Copied | null
  ): Isolation {
    const forked = own.mode === 'fork' ? own : null;
    this._last = {
      mode: 'sidecar',
      memory: true,
      files: forked?.files ?? 'open',
      network: forked?.network ?? false,
      reasons: [
        ...this._options.reasons,
        ...own.reasons,
        ...sentences(copied?.left ?? [])
      ],
      ...(copied ? { copies: copied.names } : {})
    };
    return this._last;
  }

  /** The isolation of the last run; before any, what holds for every second kernel. */
  private _known(): Isolation {
    return (
      this._last ?? {
        mode: 'sidecar',
        memory: true,
        files: 'open',
        network: false,
        reasons: this._options.reasons
      }
    );
  }

  private _last: Isolation | null = null;
  private _current: SidecarKernel | null = null;
  private _starting: Promise<void> | null = null;
  private _copying: Promise<unknown> = Promise.resolve();
  private _unwatch: IDisposable | null = null;
  /** Aborted when the user's kernel or this executor ends. */
  private _ended = new AbortController();
  private _isDisposed = false;
}

/** The second kernel itself cannot be forked (any more). */
class ForkRefused extends Error {
  constructor(override readonly cause: unknown) {
    super('The second kernel cannot be forked.');
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof RefineError &&
    (error.code === 'kernel-refused' || error.code === 'child-failed')
  );
}

/** `conn: a sqlite3.Connection cannot be copied`. */
function sentences(left: LeftOut): readonly string[] {
  return left.map(({ name, reason }) => `${name}: ${reason}`);
}
