/** Runs each attempt in a copy-on-write child of the user's Python kernel, or in processes that it starts. */
import type { IDisposable } from '@lumino/disposable';
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
import type { ContextValues } from '../../core/settings';
import type { KernelFailure } from '../../core/domain/repair';
import type { VariableInfo } from '../../core/domain/request';
import { ForkRun } from './forkRun';
import type { KernelHarness } from '../harness';
import { whenIdle } from '../channel/waiting';
import { cutExecution, parseAnswer, prepareSchema } from '../schema';

/** How long a spare may wait for the kernel. */
const WARM_WAIT_MS = 200;
const NOT_STARTED = 'stopped before it started';

export class ForkExecutor implements IExecutor, IDisposable {
  /**
   * @param harness Taken over: disposed with the executor.
   * @param isolation As just probed; without it `prepare` comes before `run`.
   * @param wayOut Reported with a fork that fails before the candidate starts: a sentence.
   * @param unforked For processes that the kernel starts: the reasons why it is not forked.
   */
  constructor(
    private readonly _harness: KernelHarness,
    private readonly _clock: IClock,
    private _isolation: Isolation | null = null,
    private readonly _wayOut = '',
    private readonly _unforked: readonly string[] | null = null
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  async prepare(signal: AbortSignal): Promise<Isolation> {
    const hello = await this._harness.install(signal);
    const own = this._place.sidecar ? hello.sidecar : hello.isolation;
    if (own?.mode !== (this._place.sidecar ? 'sidecar' : 'fork')) {
      const { reasons } = hello.isolation;
      throw new RefineError(
        'kernel',
        `The kernel cannot be forked: ${reasons.join(' ')}`,
        { code: 'kernel-refused' }
      );
    }
    return (this._isolation = this._withReasons(own));
  }

  inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return this._harness.inspect(names, values, signal);
  }

  inspectFailure(
    failed: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null> {
    return this._harness.inspectFailure(failed, values, signal);
  }

  /** Fork a child ahead, which waits in the kernel: at most one, for a minute at most. */
  async warm(job: WarmJob): Promise<boolean> {
    // A frame goes on without a word to a fork that waits.
    if (this._warming || this._harness.inFrame) {
      return false;
    }
    this._warming = true;
    try {
      // Behind a cell it would come late, and be stale for the cell that ran.
      if (!(await this._free(WARM_WAIT_MS))) {
        return false;
      }
      const request = this._harness.sendPrepare({ ...job, ...this._place });
      const answer = await request.answer;
      request.dispose();
      return (
        answer.status === 'ok' &&
        parseAnswer(prepareSchema, 'prepare', answer.value).state === 'ready'
      );
    } catch {
      // The run reports what is wrong with the kernel.
      return false;
    } finally {
      this._warming = false;
    }
  }

  async run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const startedAt = this._clock.now();
    const isolation = this._isolation;
    if (isolation === null) {
      throw new Error('prepare() comes before run()');
    }
    if (this._running.has(job.id)) {
      // The kernel part knows attempts by id: both would wait for one answer.
      throw new Error(`The attempt “${job.id}” is running already.`);
    }
    if (signal.aborted) {
      const cut = cutExecution(job.id, isolation, 'stopped', NOT_STARTED);
      return { ...cut, totalMs: 0 };
    }
    const run = new ForkRun(
      this._harness,
      this._clock,
      { ...job, ...this._place },
      isolation,
      onProgress,
      this._wayOut
    );
    this._running.add(job.id);
    try {
      const execution = await run.outcome(signal);
      return {
        ...execution,
        isolation: this._withReasons(execution.isolation),
        totalMs: this._clock.now() - startedAt
      };
    } finally {
      this._running.delete(job.id);
      run.dispose();
    }
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._harness.dispose();
    }
  }

  private _withReasons(isolation: Isolation): Isolation {
    const reasons = [...(this._unforked ?? []), ...isolation.reasons];
    return { ...isolation, reasons: [...new Set(reasons)] };
  }

  private get _place(): { readonly sidecar?: true } {
    return this._unforked === null ? {} : { sidecar: true };
  }

  /** True when the kernel has nothing to do within `ms`; the end of our own last request counts. */
  private async _free(ms: number): Promise<boolean> {
    const timer = new AbortController();
    let watch: IDisposable | null = null;
    const free = new Promise<boolean>(resolve => {
      watch = whenIdle(this._harness.activity, 0, () => resolve(true));
    });
    const late = this._clock.sleep(ms, timer.signal).then(
      () => false,
      () => false
    );
    try {
      return await Promise.race([free, late]);
    } finally {
      timer.abort();
      watch!.dispose();
    }
  }

  /** Ids of attempts. */
  private readonly _running = new Set<string>();
  private _isDisposed = false;
  private _warming = false;
}
