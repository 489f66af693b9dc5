/** Runs candidates in the user's kernel itself, for any language; nothing is isolated. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { IClock } from '../../core/clock';
import {
  liveIsolation,
  type Execution,
  type Isolation
} from '../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  FailedSource,
  IExecutor
} from '../../core/domain/executor';
import type { ContextValues } from '../../core/settings';
import type { KernelFailure } from '../../core/domain/repair';
import type { VariableInfo } from '../../core/domain/request';
import type { KernelHarness } from '../harness';
import { KernelActivity } from '../channel/kernelActivity';
import { cutExecution } from '../schema';
import { LiveRun } from './liveRun';

export class LiveExecutor implements IExecutor, IDisposable {
  /**
   * @param language Lower case: `python`, `r`.
   * @param reasons Plain sentences: why attempts are not isolated.
   * @param harness In Python, describes live variables; taken over and disposed.
   */
  constructor(
    private readonly _kernel: Kernel.IKernelConnection,
    private readonly _language: string,
    reasons: readonly string[],
    private readonly _clock: IClock,
    private readonly _harness: KernelHarness | null = null
  ) {
    this._activity = _harness?.activity ?? new KernelActivity(_kernel, _clock);
    this._isolation = liveIsolation(reasons);
  }

  get isDisposed(): boolean {
    return this._activity.isDisposed;
  }

  prepare(signal: AbortSignal): Promise<Isolation> {
    return signal.aborted
      ? Promise.reject(signal.reason)
      : Promise.resolve(this._isolation);
  }

  async inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return this._harness === null
      ? []
      : this._harness.inspect(names, values, signal);
  }

  inspectFailure(
    failed: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null> {
    return (
      this._harness?.inspectFailure(failed, values, signal) ??
      Promise.resolve(null)
    );
  }

  async run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const startedAt = this._clock.now();
    if (signal.aborted) {
      const message = 'stopped before it started';
      const cut = cutExecution(job.id, this._isolation, 'stopped', message);
      return { ...cut, totalMs: 0 };
    }
    const run = new LiveRun(
      this._kernel,
      this._activity,
      this._clock,
      this._language,
      this._isolation,
      job,
      onProgress,
      this._harness
    );
    try {
      const execution = await run.outcome(signal);
      return { ...execution, totalMs: this._clock.now() - startedAt };
    } finally {
      run.dispose();
    }
  }

  dispose(): void {
    this._activity.dispose();
  }

  private readonly _activity: KernelActivity;
  private readonly _isolation: Isolation;
}
