/** Runs the cells above a target, once and in order, in the notebook's kernel. */
import { RefineError } from '../../core/errors';
import { cellsAbove, type CellAbove, type NotebookCell } from '../../notebook';
import type { ICellRunner } from '../server/liveKernel';
import { cellLabel } from '../report/results';
import { errorText, printable } from '../report/text';

export type CellsAboveOptions = {
  readonly path: string;
  readonly language: string;
  readonly kernel: ICellRunner;
  /** Seconds that one cell may take. */
  readonly seconds: number;
  /** That a cell raises ends nothing, as in nbgrader: a student's scratch cell may. */
  readonly tolerant: boolean;
  readonly onCell: (label: string) => void;
  readonly onTolerated: (message: string) => void;
};

export class CellsAbove {
  constructor(private readonly _options: CellsAboveOptions) {}

  /** The cell was run for real already: it is not run again. */
  markRun(cellId: string): void {
    this._run.add(cellId);
  }

  /** It is neither run nor waited for, because it was not allowed. */
  leaveOut(cellId: string): void {
    this._run.add(cellId);
    this._leftOut.add(cellId);
  }

  /** Nobody allowed it to run, in whatever kernel. */
  isLeftOut(cellId: string): boolean {
    return this._leftOut.has(cellId);
  }

  /** That the cell fails, here or when it is repeated, ends nothing. */
  isTolerated({ id, mayFail }: CellAbove): boolean {
    return mayFail || this._tolerated.has(id);
  }

  /** What this cell raises is a reported outcome, not bad input. */
  tolerate(cellId: string): void {
    this._tolerated.add(cellId);
  }

  /**
   * Run the cells before `end` that did not run yet. A check that does not hold
   * ends nothing: it is the outcome of another target.
   *
   * @throws RefineError kind `input`, with the cell, when one fails or takes too long.
   */
  async runBefore(
    cells: readonly NotebookCell[],
    end: number,
    signal: AbortSignal
  ): Promise<void> {
    for (const cell of cellsAbove(cells, end, this._options.language)) {
      if (!this._run.has(cell.id)) {
        this._run.add(cell.id);
        await this._runCell(cell, signal);
      }
    }
  }

  private async _runCell(cell: CellAbove, signal: AbortSignal): Promise<void> {
    const { path, kernel, seconds, onCell, onTolerated } = this._options;
    const label = cellLabel({ index: cell.index, cellId: cell.id });
    onCell(label);
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(seconds * 1000);
    const { error } = await kernel
      .run(cell.source, AbortSignal.any([signal, limit]))
      .catch((cause: unknown) => {
        throw cause === limit.reason
          ? new RefineError(
              'input',
              `${path} ${label}, above the target, ran longer than ${seconds} s (--session-timeout).`
            )
          : cause;
      });
    if (error === null) {
      return;
    }
    const what = errorText(error);
    if (this._options.tolerant) {
      this.tolerate(cell.id);
    }
    if (this.isTolerated(cell)) {
      onTolerated(`${path} ${label}: ${what}`);
      return;
    }
    throw new RefineError(
      'input',
      `${path} ${label}, above the target, failed: ${what}. To go on after its error, tag the cell raises-exception or refine-skip.\n${printable(error.traceback)}`
    );
  }

  private readonly _run = new Set<string>();
  private readonly _tolerated = new Set<string>();
  private readonly _leftOut = new Set<string>();
}
