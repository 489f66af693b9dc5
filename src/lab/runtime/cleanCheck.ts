/** Repeats a pass in a fresh kernel: tells "passes here" from "passes clean". */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { judgeExecution } from '../../core/evaluators/assertions';
import { countPassed } from '../../core/execution';
import { executionJob } from '../../core/job';
import type { CleanResult } from '../../core/outcome';
import type { RefineRequest } from '../../core/request';
import { sourceToRun } from '../../core/response';
import type { NotebookCell } from '../../notebook/cells';
import { isMagicCell, markedRole } from '../../notebook/roles';
import { createExecutor } from '../../kernel';
import { cellLabel } from './words';

export type CleanCheckInput = {
  readonly kernels: Kernel.IManager;
  /** Name of the notebook's kernel spec. */
  readonly kernelName: string;
  readonly request: RefineRequest;
  readonly candidate: string;
  readonly cells: readonly NotebookCell[];
  /** Environment variables with keys, as the server tells them. */
  readonly keyVariables?: readonly string[];
  readonly trans: TranslationBundle;
  readonly signal: AbortSignal;
};

/** Starts a kernel of its own and stops it at the end, whatever happens. */
export async function checkInCleanKernel(
  input: CleanCheckInput
): Promise<CleanResult> {
  const { kernels, kernelName, request, trans, signal } = input;
  const kernel = await kernels.startNew({ name: kernelName });
  const end = () => void kernel.shutdown().catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    await kernel.info;
    const failed = await runCellsAbove(kernel, input);
    return failed
      ? { passed: false, message: failed }
      : await runCandidate(kernel, input);
  } catch (reason) {
    signal.throwIfAborted();
    throw reason;
  } finally {
    signal.removeEventListener('abort', end);
    if (!kernel.isDisposed) {
      await kernel.shutdown().catch(() => undefined);
      kernel.dispose();
    }
  }

  async function runCandidate(
    connection: Kernel.IKernelConnection,
    { candidate, keyVariables }: CleanCheckInput
  ): Promise<CleanResult> {
    // A kernel of our own may be changed: nothing is asked.
    const executor = await createExecutor(connection, {
      isolation: 'auto',
      allowLive: () => Promise.resolve(true),
      keyVariables,
      signal
    });
    try {
      await executor.prepare(signal);
      const execution = await executor.run(
        executionJob(
          request,
          'clean',
          sourceToRun(request, candidate) ?? candidate
        ),
        () => undefined,
        signal
      );
      const { passed, total } = countPassed(execution.assertions);
      const verdict = judgeExecution(request, execution);
      if (verdict.evaluation === 'pass') {
        return {
          passed: true,
          message: trans.__(
            'Passes in a clean kernel too: %1 of %2.',
            passed,
            total
          )
        };
      }
      const why =
        execution.stopMessage ??
        (execution.error
          ? `${execution.error.name}: ${execution.error.message}`
          : passed < total
            ? trans.__('%1 of %2 hold', passed, total)
            : (verdict.reasons[0] ?? trans.__('%1 of %2 hold', passed, total)));
      return {
        passed: false,
        message: trans.__(
          'Passes here, but not in a clean kernel: %1. It relies on something the cells above do not make.',
          why
        )
      };
    } finally {
      executor.dispose();
    }
  }
}

/** @returns a sentence about the first cell that failed, or null. */
async function runCellsAbove(
  kernel: Kernel.IKernelConnection,
  { cells, request, trans, signal }: CleanCheckInput
): Promise<string | null> {
  const target = cells.findIndex(cell => cell.id === request.target.cellId);
  const above = cells.filter(
    (cell, index) =>
      index < (target < 0 ? request.target.index : target) &&
      cell.type === 'code' &&
      !isMagicCell(cell) &&
      markedRole(cell) === null
  );
  for (const cell of above) {
    signal.throwIfAborted();
    const reply = await kernel.requestExecute({
      code: cell.source,
      store_history: false,
      stop_on_error: true,
      allow_stdin: false
    }).done;
    if (reply?.content.status === 'error') {
      const error = reply.content as KernelMessage.IReplyErrorContent;
      return trans.__(
        'Not checked: in a clean kernel %1 fails: %2.',
        cellLabel(cells, cell.id, trans),
        `${error.ename}: ${error.evalue}`
      );
    }
  }
  return null;
}
