/**
 * Repeats a pass in a fresh kernel, with the cells above: does it hold only here, or
 * there, too? Panel and command line each say the results in their own words.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { after, systemClock, type IClock } from '../core/clock';
import { linkedController, untilAborted } from '../core/session/abort';
import { hasChecks } from '../core/domain/checks/checks';
import { RefineError } from '../core/errors';
import { judgeExecution } from '../core/evaluators/assertions';
import { countPassed, type Execution } from '../core/domain/execution';
import { executionJob } from '../core/domain/executor';
import type { RefineRequest } from '../core/domain/request';
import { sourceToRun } from '../core/domain/response';
import type { Verdict } from '../core/domain/verdict';
import { createExecutor } from './create';
import { watchKernelEnd } from './channel/kernelEnd';

/** A kernel that belongs to the check alone. */
export type OwnKernel = {
  readonly connection: Kernel.IKernelConnection;
  readonly shutdown: () => Promise<void>;
};

export type FreshKernelOptions = {
  readonly start: () => Promise<OwnKernel>;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  readonly clock?: IClock;
};

export type RepeatedCell = {
  readonly id: string;
  /** As the user knows it. */
  readonly label: string;
  readonly source: string;
  /** That it fails ends nothing. */
  readonly tolerated: boolean;
};

export type FreshCheck = {
  readonly request: RefineRequest;
  readonly candidate: string;
  /** Those above the target; what this kernel ran before is not run again. */
  readonly cells: readonly RepeatedCell[];
  /** Says what will run, before it does. */
  readonly onPlan: (cells: readonly RepeatedCell[]) => void;
  readonly onCell?: (cell: RepeatedCell) => void;
};

export type FreshResult =
  | {
      readonly type: 'ran';
      readonly passed: boolean;
      readonly verdict: Verdict;
      readonly execution: Execution;
      readonly held: { readonly passed: number; readonly total: number };
    }
  /** A cell above the target failed. */
  | { readonly type: 'cell'; readonly cell: RepeatedCell; readonly why: string }
  /** There is nothing that could be repeated. */
  | { readonly type: 'nothing' };

/** One fresh kernel for all targets of a session; each cell above runs once in it. */
export class FreshKernel {
  constructor(private readonly _options: FreshKernelOptions) {
    this._clock = _options.clock ?? systemClock;
  }

  /**
   * @throws RefineError kind `kernel` when the kernel cannot be had, ends, or the
   * check takes longer than the session's time; the signal's reason when aborted.
   * The kernel is gone then, and the next check starts another one.
   */
  async check(check: FreshCheck, signal: AbortSignal): Promise<FreshResult> {
    const { request, candidate } = check;
    const source = sourceToRun(request, candidate);
    if (!hasChecks(request) || source === null) {
      return { type: 'nothing' };
    }
    const seconds = request.options.sessionTimeout;
    const { controller, unlink } = linkedController(signal);
    const cancel = after(this._clock, seconds * 1000, () => {
      controller.abort(
        new RefineError(
          'kernel',
          `The run in a fresh kernel took longer than ${seconds} s (sessionTimeout).`
        )
      );
    });
    try {
      check.onPlan(check.cells.filter(cell => !this._ran.has(cell.id)));
      const result = await untilAborted(
        this._check(check, source, controller),
        controller.signal
      );
      // A kernel that failed half-way, or ran a candidate for real, cannot be used for the next target.
      if (
        result.type === 'cell' ||
        (result.type === 'ran' && result.execution.isolation.mode === 'live')
      ) {
        await this.end();
      }
      return result;
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      cancel();
      unlink();
    }
  }

  /** Shut the kernel down, if there is one. */
  async end(): Promise<void> {
    const { _kernel: kernel } = this;
    this._kernel = null;
    this._ran.clear();
    const started = await kernel?.catch(() => null);
    await started?.shutdown().catch(() => undefined);
  }

  private async _check(
    check: FreshCheck,
    source: string,
    controller: AbortController
  ): Promise<FreshResult> {
    this._kernel ??= this._options.start();
    const { connection } = await this._kernel;
    const watch = watchKernelEnd(connection, this._clock, () =>
      controller.abort(
        new RefineError('kernel', 'The fresh kernel died.', {
          code: 'kernel-dead'
        })
      )
    );
    try {
      await connection.info;
      return await this._run(connection, check, source, controller.signal);
    } finally {
      watch.dispose();
    }
  }

  private async _run(
    connection: Kernel.IKernelConnection,
    { request, cells, onCell }: FreshCheck,
    source: string,
    signal: AbortSignal
  ): Promise<FreshResult> {
    for (const cell of cells.filter(({ id }) => !this._ran.has(id))) {
      signal.throwIfAborted();
      onCell?.(cell);
      const why = await runCell(connection, cell.source);
      this._ran.add(cell.id);
      if (why !== null && !cell.tolerated) {
        return { type: 'cell', cell, why };
      }
    }
    signal.throwIfAborted();
    // A kernel of our own may be changed: nothing is asked.
    const executor = await createExecutor(connection, {
      isolation: 'auto',
      allowLive: () => Promise.resolve(true),
      keyVariables: this._options.keyVariables,
      clock: this._clock,
      signal
    });
    let execution: Execution;
    try {
      await executor.prepare(signal);
      execution = await executor.run(
        executionJob(request, `${request.session}:clean`, source),
        () => undefined,
        signal
      );
    } finally {
      executor.dispose();
    }
    const verdict = judgeExecution(request, execution);
    return {
      type: 'ran',
      passed: verdict.evaluation === 'pass',
      verdict,
      execution,
      held: countPassed(execution.assertions)
    };
  }

  private readonly _clock: IClock;
  private _kernel: Promise<OwnKernel> | null = null;
  /** Ids of the cells that ran in it. */
  private readonly _ran = new Set<string>();
}

/** Null, or the error that the cell ended with. */
async function runCell(
  connection: Kernel.IKernelConnection,
  code: string
): Promise<string | null> {
  const future = connection.requestExecute({
    code,
    store_history: false,
    stop_on_error: true,
    allow_stdin: false
  });
  try {
    const { content } = await future.done;
    if (content.status === 'ok') {
      return null;
    }
    const { ename, evalue } = content as KernelMessage.IReplyErrorContent;
    return ename ? `${ename}: ${evalue}` : 'it was not run';
  } finally {
    future.dispose();
  }
}
