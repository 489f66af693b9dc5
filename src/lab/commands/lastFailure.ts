/** Finds the cell of a notebook whose execution failed last. */
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { cutMiddle, stripAnsi } from '../../kernel/channel/ansi';

/** Characters of a traceback that the prompt contains. */
const TRACEBACK_LIMIT = 6000;

export type CellFailure = {
  readonly cellId: string;
  /** Position in the notebook, from 1. */
  readonly position: number;
  /** As the kernel printed it, without colours. */
  readonly traceback: string;
};

/** The failure with the highest execution count; null when no cell shows one. */
export function lastFailure(cells: Iterable<ICellModel>): CellFailure | null {
  let last: { readonly count: number; readonly failure: CellFailure } | null =
    null;
  let position = 0;
  for (const cell of cells) {
    position += 1;
    const count = isCode(cell) ? (cell.executionCount ?? 0) : 0;
    if (!isCode(cell) || (last && count <= last.count)) {
      continue;
    }
    const error = cell.outputs.toJSON().find(o => o.output_type === 'error');
    if (error) {
      const failure = { cellId: cell.id, position, traceback: text(error) };
      last = { count, failure };
    }
  }
  return last?.failure ?? null;
}

function text(error: IOutput): string {
  const { traceback, ename, evalue } = error;
  const lines = Array.isArray(traceback) ? traceback.map(String) : [];
  const whole = stripAnsi(
    lines.length > 0 ? lines.join('\n') : `${String(ename)}: ${String(evalue)}`
  );
  return cutMiddle(whole, TRACEBACK_LIMIT);
}

function isCode(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}
