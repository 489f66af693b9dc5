/**
 * Repeats a pass in a fresh kernel, with the cells above: does it hold only here, or
 * there, too?
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { after, systemClock, type IClock } from '../core/clock';
import { untilAborted } from '../core/session/abort';
import { hasChecks } from '../core/domain/checks/checks';
import { RefineError } from '../core/errors';
import { judgeExecution } from '../core/evaluators/assertions';
import { countPassed, type Execution } from '../core/domain/execution';
import { executionJob, sourceToRun } from '../core/domain/executor';
import type { RefineRequest } from '../core/domain/request';
import type { CleanResult } from '../core/domain/outcome';
import type { Translation } from '../core/text/english';
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

type RepeatedCell = {
  readonly id: string;
  /** As the user knows it. */
  readonly label: string;
  readonly source: string;
  /** That it fails ends nothing. */
  readonly tolerated: boolean;
  /** It is never run here. */
  readonly skip: boolean;
};

export type FreshCheck = {
  readonly request: RefineRequest;
  readonly candidate: string;
  /** Those above the target; what this kernel ran before is not run again. */
  readonly cells: readonly RepeatedCell[];
  readonly trans: Translation;
  /** What will run, as a sentence. */
  readonly onPlan: (text: string) => void;
  readonly onCell?: (label: string) => void;
};

type Repeated = {
  readonly result: CleanResult;
  /** False of a kernel that failed half-way, or ran a candidate for real: not for the next target. */
  readonly isUsable: boolean;
};

/** One fresh kernel for all targets of a session; each cell above runs once in it. */
export class FreshKernel {
  constructor(private readonly _options: FreshKernelOptions) {
    this._clock = _options.clock ?? systemClock;
  }

  /**
   * Null where there is no check to repeat.
   *
   * @throws RefineError kind `kernel` when the kernel cannot be had, ends, or the
   * check takes longer than the session's time, or where it fails without cells
   * that were skipped; the signal's reason when aborted.
   * The kernel is gone then, and the next check starts another one.
   */
  async check(
    check: FreshCheck,
    signal: AbortSignal
  ): Promise<CleanResult | null> {
    const { request, candidate, trans } = check;
    const source = sourceToRun(request, candidate);
    if (!hasChecks(request) || source === null) {
      return null;
    }
    const cells = check.cells.filter(
      ({ id, skip }) => !skip && !this._ran.has(id)
    );
    const skipped = check.cells.filter(({ skip }) => skip).length;
    const leftOut = skipped
      ? trans.__('Cells tagged refine-skip that were skipped: %1.', skipped)
      : '';
    const plan = cells.length
      ? trans.__(
          'Running in a fresh kernel: %1, then the attempt.',
          cells.map(({ label }) => label).join(', ')
        )
      : trans.__('Running the attempt in a fresh kernel.');
    const seconds = request.options.sessionTimeout;
    const controller = new AbortController();
    const ended = AbortSignal.any([signal, controller.signal]);
    const cancel = after(this._clock, seconds * 1000, () => {
      controller.abort(
        new RefineError(
          'kernel',
          `The run in a fresh kernel took longer than ${seconds} s (sessionTimeout).`
        )
      );
    });
    try {
      check.onPlan([plan, leftOut].filter(Boolean).join(' '));
      const { result, isUsable } = await untilAborted(
        this._check({ ...check, cells }, source, controller, ended),
        ended
      );
      if (!result.passed && leftOut) {
        // The skipped cells may be all that is missing: the pass still holds.
        throw new RefineError('kernel', `${result.message} ${leftOut}`);
      }
      if (!isUsable) {
        await this.end();
      }
      return result;
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      cancel();
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
    controller: AbortController,
    signal: AbortSignal
  ): Promise<Repeated> {
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
      return await this._run(connection, check, source, signal);
    } finally {
      watch.dispose();
    }
  }

  private async _run(
    connection: Kernel.IKernelConnection,
    { request, cells, trans, onCell }: FreshCheck,
    source: string,
    signal: AbortSignal
  ): Promise<Repeated> {
    for (const { id, label, source: above, tolerated } of cells) {
      signal.throwIfAborted();
      onCell?.(label);
      const why = await runCell(connection, above);
      this._ran.add(id);
      if (why !== null && !tolerated) {
        const message = trans.__(
          'Not checked: %1 failed in the fresh kernel: %2.',
          label,
          why
        );
        return { result: { passed: false, message }, isUsable: false };
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
    const passed = verdict.evaluation === 'pass';
    const held = countPassed(execution.assertions);
    const count = trans.__('%1 of %2 pass', held.passed, held.total);
    const why =
      execution.stopMessage ??
      (execution.error
        ? `${execution.error.name}: ${execution.error.message}`
        : held.passed < held.total
          ? count
          : (verdict.reasons[0] ?? count));
    const message = passed
      ? trans.__(
          'Also passes in a fresh kernel: %1 of %2.',
          held.passed,
          held.total
        )
      : trans.__(
          'Passes here, but not in a fresh kernel: %1. The cell depends on something that the cells above do not create.',
          why
        );
    return {
      result: { passed, message },
      isUsable: execution.isolation.mode !== 'live'
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
