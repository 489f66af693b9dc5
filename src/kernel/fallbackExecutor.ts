/** Forks as long as the kernel can be forked; asks once before it goes on in the live kernel. */
import type { IDisposable } from '@lumino/disposable';
import { RefineError } from '../core/errors';
import type { Execution, Isolation } from '../core/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from '../core/executor';
import type { ContextValues } from '../core/options';
import type { VariableInfo } from '../core/request';
import type { ForkExecutor } from './forkExecutor';
import type { LiveExecutor } from './liveExecutor';

/**
 * A kernel can lose the ability to fork while it runs: thread pools of polars,
 * an initialised CUDA. Both executors share one kernel part.
 */
export class FallbackExecutor implements IExecutor, IDisposable {
  constructor(
    private readonly _fork: ForkExecutor,
    private readonly _makeLive: (reasons: readonly string[]) => LiveExecutor,
    private readonly _allowLive: (
      reasons: readonly string[]
    ) => Promise<boolean>
  ) {}

  get isDisposed(): boolean {
    return this._fork.isDisposed;
  }

  prepare(signal: AbortSignal): Promise<Isolation> {
    return this._guard(executor => executor.prepare(signal));
  }

  inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return this._fork.inspect(names, values, signal);
  }

  warm(
    job: Pick<ExecutionJob, 'allowNetwork' | 'allowWrites'>
  ): Promise<boolean> {
    return this._live === null ? this._fork.warm(job) : Promise.resolve(false);
  }

  run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    return this._guard(executor => executor.run(job, onProgress, signal));
  }

  dispose(): void {
    this._fork.dispose();
  }

  private async _guard<T>(
    call: (executor: ForkExecutor | LiveExecutor) => Promise<T>
  ): Promise<T> {
    if (this._live !== null) {
      return call(this._live);
    }
    try {
      return await call(this._fork);
    } catch (error) {
      if (!(error instanceof RefineError) || error.code !== 'kernel-refused') {
        throw error;
      }
      if (!(await this._allowLive([error.message]))) {
        throw error;
      }
      this._live ??= this._makeLive([error.message]);
      return call(this._live);
    }
  }

  private _live: LiveExecutor | null = null;
}
