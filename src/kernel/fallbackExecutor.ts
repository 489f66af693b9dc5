/** Runs attempts as far apart from the user's kernel as that goes, and goes a stage on when it goes no more. */
import type { IDisposable } from '@lumino/disposable';
import { RefineError } from '../core/errors';
import type { Execution, Isolation } from '../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  FailedSource,
  IExecutor,
  WarmJob
} from '../core/domain/executor';
import type { ContextValues } from '../core/settings';
import type { KernelFailure } from '../core/domain/repair';
import type { VariableInfo } from '../core/domain/request';

/** One way to run attempts. */
export type Stage = {
  /** @param reasons Plain sentences: why the stages before it cannot be used. */
  readonly make: (reasons: readonly string[]) => IExecutor & IDisposable;
  /** Asked once before this stage is used; absent: no question is needed. */
  readonly allow?: (reasons: readonly string[]) => Promise<boolean>;
};

/**
 * A kernel can lose the ability to fork while it runs (thread pools of polars,
 * an initialised CUDA), and an attempt may need what cannot be copied. A stage
 * says so with a `RefineError` of code `kernel-refused`; what follows runs in
 * the next one.
 */
export class FallbackExecutor implements IExecutor, IDisposable {
  /** @param stages In this order; their executors share one kernel part. */
  constructor(
    private readonly _stages: readonly [Stage, ...Stage[]],
    private _reasons: readonly string[] = []
  ) {
    this._current = _stages[0].make(_reasons);
    this._made.push(this._current);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  prepare(signal: AbortSignal): Promise<Isolation> {
    return this._guard(executor => executor.prepare(signal));
  }

  inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return this._current.inspect(names, values, signal);
  }

  inspectFailure(
    failed: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null> {
    return (
      this._current.inspectFailure?.(failed, values, signal) ??
      Promise.resolve(null)
    );
  }

  warm(job: WarmJob): Promise<boolean> {
    return this._current.warm?.(job) ?? Promise.resolve(false);
  }

  run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    return this._guard(executor => executor.run(job, onProgress, signal));
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._made.forEach(executor => executor.dispose());
    }
  }

  private async _guard<T>(call: (executor: IExecutor) => Promise<T>) {
    for (;;) {
      try {
        return await call(this._current);
      } catch (error) {
        if (
          !(error instanceof RefineError) ||
          error.code !== 'kernel-refused' ||
          this._isDisposed
        ) {
          throw error;
        }
        await this._goOn(error);
      }
    }
  }

  /** @throws the error of the stage that refused, when there is no next one or it is not allowed. */
  private async _goOn(error: RefineError): Promise<void> {
    const next = this._stages[this._stage + 1];
    const reasons = [...this._reasons, error.message];
    if (!next || this._isForbidden) {
      throw error;
    }
    if (next.allow && !(await next.allow(reasons))) {
      this._isForbidden = true;
      throw error;
    }
    if (this._isDisposed) {
      // Disposed while the user was asked: a new executor would never be disposed.
      throw error;
    }
    this._stage++;
    this._reasons = reasons;
    this._current = next.make(reasons);
    this._made.push(this._current);
  }

  private readonly _made: (IExecutor & IDisposable)[] = [];
  private _current: IExecutor & IDisposable;
  private _stage = 0;
  private _isForbidden = false;
  private _isDisposed = false;
}
