/** Repeats a pass in a fresh kernel: tells "passes here" from "passes clean". */
import { judgeExecution } from '../core/evaluators/assertions';
import { hasChecks } from '../core/checks';
import { RefineError } from '../core/errors';
import type { Execution } from '../core/execution';
import { executionJob } from '../core/job';
import type { CleanResult } from '../core/outcome';
import type { RefineRequest } from '../core/request';
import { sourceToRun } from '../core/response';
import type { NotebookCell } from '../notebook';
import type { CellsAbove } from './cellsAbove';
import { isolatedExecutor, type IsolationPorts } from './isolation';
import type { LiveKernel } from './liveKernel';
import { errorText, printable } from './text';

export type CleanCheck = {
  readonly request: RefineRequest;
  readonly candidate: string;
  /** Of the notebook, with what was accepted so far. */
  readonly cells: readonly NotebookCell[];
  /** What ran above in the first kernel, and what nobody allowed to run. */
  readonly above: CellsAbove;
  readonly startKernel: () => Promise<LiveKernel>;
  readonly ports: IsolationPorts;
};

/**
 * Null where no check could be repeated. The kernel is started and stopped here.
 *
 * @throws RefineError kind `kernel` when the fresh kernel cannot be had.
 */
export async function checkClean(
  check: CleanCheck
): Promise<CleanResult | null> {
  const { request, candidate, cells, above, startKernel, ports } = check;
  const source = sourceToRun(request, candidate);
  if (!hasChecks(request) || source === null) {
    return null;
  }
  const { options } = request;
  const kernel = await startKernel();
  try {
    await kernel.ready(ports.signal);
    await above
      .again({
        kernel,
        onCell: label => ports.onWaiting(`running ${label} in a fresh kernel`),
        onTolerated: () => undefined
      })
      .runBefore(cells, request.target.index, ports.signal);
    const executor = await isolatedExecutor(kernel.connection, options, {
      ...ports,
      // It was asked for the first kernel.
      questions: { ...ports.questions, yes: () => Promise.resolve(true) }
    });
    try {
      return told(
        request,
        await executor.run(
          executionJob(request, `${request.session}:clean`, source),
          () => undefined,
          ports.signal
        )
      );
    } finally {
      executor.dispose();
    }
  } catch (error) {
    ports.signal.throwIfAborted();
    if (error instanceof RefineError && error.kind === 'input') {
      return { passed: false, message: `in a fresh kernel, ${error.message}` };
    }
    throw error;
  } finally {
    await kernel.shutdown();
  }
}

function told(request: RefineRequest, execution: Execution): CleanResult {
  const verdict = judgeExecution(request, execution);
  if (verdict.evaluation === 'pass') {
    return { passed: true, message: 'passes in a fresh kernel too' };
  }
  const why = execution.error
    ? errorText(execution.error)
    : printable(execution.stopMessage ?? verdict.reasons[0] ?? '');
  return {
    passed: false,
    message: `passes here, not in a fresh kernel: ${why} It relies on something that the cells above do not make.`
  };
}
