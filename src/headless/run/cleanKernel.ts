/** Repeats passes in a fresh kernel, one for all targets of a notebook, in the words of the command line. */
import { RefineError } from '../../core/errors';
import type { CleanResult } from '../../core/domain/outcome';
import type { RefineRequest } from '../../core/domain/request';
import { FreshKernel, type FreshResult, type OwnKernel } from '../../kernel';
import { cellsAbove, type NotebookCell } from '../../notebook';
import type { CellsAbove } from './cellsAbove';
import { cellLabel } from '../report/results';
import { counted, errorText, printable } from '../report/text';

export type CleanKernelOptions = {
  readonly path: string;
  readonly language: string;
  /** The cells that ran above in the first kernel, and those that were not allowed to. */
  readonly above: CellsAbove;
  readonly start: () => Promise<OwnKernel>;
  readonly keyVariables?: readonly string[];
  /** What will run, as a sentence. */
  readonly onPlan: (text: string) => void;
  readonly onWaiting: (text: string) => void;
};

export class CleanKernel {
  constructor(private readonly _options: CleanKernelOptions) {
    this._kernel = new FreshKernel(_options);
  }

  /**
   * Null where no check could be repeated.
   *
   * @param cells - of the notebook, with what was accepted so far.
   * @throws RefineError kind `kernel` when the pass could not be repeated.
   */
  async check(
    request: RefineRequest,
    candidate: string,
    cells: readonly NotebookCell[],
    signal: AbortSignal
  ): Promise<CleanResult | null> {
    const { path, language, above, onPlan, onWaiting } = this._options;
    const all = cellsAbove(cells, request.target.index, language);
    const skipped = all.filter(cell => cell.skip);
    const leftOut = skipped.length
      ? `${counted(skipped.length, 'cell')} tagged refine-skip skipped`
      : '';
    const result = await this._kernel.check(
      {
        request,
        candidate,
        cells: all
          .filter(cell => !cell.skip && !above.isLeftOut(cell.id))
          .map(cell => ({
            id: cell.id,
            label: cellLabel({ index: cell.index, cellId: cell.id }),
            source: cell.source,
            tolerated: above.isTolerated(cell)
          })),
        onPlan: planned =>
          onPlan(
            [
              planned.length
                ? `running again in a fresh kernel: ${planned.map(({ label }) => label).join(', ')}`
                : 'running again in a fresh kernel: the target alone',
              leftOut
            ]
              .filter(Boolean)
              .join('; ')
          ),
        onCell: ({ label }) => onWaiting(`running ${label} in a fresh kernel`)
      },
      signal
    );
    const found = toCleanResult(path, result);
    if (found && !found.passed && leftOut) {
      throw new RefineError('kernel', `${leftOut}, and so ${found.message}`);
    }
    return found;
  }

  async end(): Promise<void> {
    await this._kernel.end();
  }

  private readonly _kernel: FreshKernel;
}

function toCleanResult(path: string, result: FreshResult): CleanResult | null {
  switch (result.type) {
    case 'nothing':
      return null;
    case 'cell':
      return {
        passed: false,
        message: `in a fresh kernel, ${path} ${result.cell.label}, above the target, failed: ${printable(result.why)}`
      };
    case 'ran': {
      const { passed, execution, verdict } = result;
      if (passed) {
        return { passed, message: 'also passes in a fresh kernel' };
      }
      const why = execution.error
        ? errorText(execution.error)
        : printable(execution.stopMessage ?? verdict.reasons[0] ?? '');
      return {
        passed,
        message: `passes here, but not in a fresh kernel: ${why} It depends on something that the cells above do not create.`
      };
    }
  }
}
