/** An executor without a kernel: scripted executions, or a function of the job. */
import type { IClock } from '../core/clock';
import type {
  AssertionResult,
  Execution,
  Isolation
} from '../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from '../core/domain/executor';
import type { VariableInfo } from '../core/domain/request';

/** What one run gives: an execution, parts of one, an error to throw, or `hang` until aborted. */
export type FakeRun = Partial<Execution> | Error | 'hang';

type FakeExecutorOptions = {
  readonly isolation?: Partial<Isolation>;
  /** Times `durationMs`: a run takes that long; real time by default, and then no time at all. */
  readonly clock?: IClock;
  /** Reported before the result, in this order. */
  readonly progress?: (job: ExecutionJob) => readonly ExecutionProgress[];
};

export const FORK_ISOLATION: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};

/**
 * Plays one scripted run a call (the last one again when there are no more), or
 * asks a function. A run that is aborted resolves as `cut`, as the port demands.
 */
export class FakeExecutor implements IExecutor {
  constructor(
    private readonly _runs:
      readonly FakeRun[] | ((job: ExecutionJob) => FakeRun),
    private readonly _options: FakeExecutorOptions = {}
  ) {
    this.isolation = { ...FORK_ISOLATION, ..._options.isolation };
  }

  readonly isolation: Isolation;
  /** Every job so far, in order. */
  readonly jobs: ExecutionJob[] = [];
  /** Runs that ended by their signal. */
  aborted = 0;
  /** Runs that are continuing now. */
  active = 0;

  async prepare(signal: AbortSignal): Promise<Isolation> {
    signal.throwIfAborted();
    return this.isolation;
  }

  async inspect(): Promise<readonly VariableInfo[]> {
    return [];
  }

  async run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const call = this.jobs.push(job) - 1;
    const runs = this._runs;
    const run =
      typeof runs === 'function'
        ? runs(job)
        : (runs[Math.min(call, runs.length - 1)] ?? {});
    this.active++;
    try {
      for (const progress of this._options.progress?.(job) ?? []) {
        onProgress(progress);
      }
      await Promise.resolve();
      if (run instanceof Error) {
        throw run;
      }
      const ms = run === 'hang' ? Infinity : (run.durationMs ?? 0);
      if (signal.aborted || !(await this._takes(ms, signal))) {
        this.aborted++;
        return fakeExecution({
          id: job.id,
          status: 'cut',
          stop: 'stopped',
          stopMessage: 'stopped',
          isolation: this.isolation
        });
      }
      return fakeExecution({
        isolation: this.isolation,
        ...(run === 'hang' ? {} : run),
        id: job.id
      });
    } finally {
      this.active--;
    }
  }

  /** False when aborted before `ms` had passed. */
  private async _takes(ms: number, signal: AbortSignal): Promise<boolean> {
    if (ms === Infinity) {
      await new Promise<void>(resolve =>
        signal.addEventListener('abort', () => resolve(), { once: true })
      );
      return false;
    }
    if (this._options.clock && ms > 0) {
      return this._options.clock.sleep(ms, signal).then(
        () => true,
        () => false
      );
    }
    return !signal.aborted;
  }
}

/** A whole execution from the parts that matter: completed, nothing printed, no assertion unless given. */
export function fakeExecution(parts: Partial<Execution> = {}): Execution {
  return {
    id: 'fake',
    status: 'completed',
    assertions: [],
    stdout: '',
    stderr: '',
    displays: [],
    isolation: FORK_ISOLATION,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 1,
    totalMs: 2,
    ...parts
  };
}

/** One result of a checking statement: `passed` and confirmed unless stated otherwise. */
export function fakeAssertion(
  parts: Partial<AssertionResult> = {}
): AssertionResult {
  const line = parts.line ?? 1;
  const cellId = parts.cellId ?? 'check';
  return {
    id: `${cellId}:${line}`,
    cellId,
    role: 'assertion',
    line,
    source: 'assert True',
    outcome: 'passed',
    durationMs: 0,
    ...((parts.outcome ?? 'passed') === 'passed' ? { confirmed: true } : {}),
    ...parts
  };
}
