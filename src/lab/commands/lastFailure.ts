/** Finds the cell of a notebook whose execution failed last. */
import type { ICellModel } from '@jupyterlab/cells';
import { isCodeCell, showsError } from '../errorOutput';

/** Id of the cell with the highest execution count that shows an error; null when no cell does. */
export function lastFailure(cells: Iterable<ICellModel>): string | null {
  let last: { readonly count: number; readonly cellId: string } | null = null;
  for (const cell of cells) {
    const count = isCodeCell(cell) ? (cell.executionCount ?? 0) : 0;
    if ((!last || count > last.count) && showsError(cell)) {
      last = { count, cellId: cell.id };
    }
  }
  return last?.cellId ?? null;
}
