/** Positions of cells, by their id. */
import type { NotebookCell } from '../cells';
import { perNotebook } from './perNotebook';

type Cells = readonly NotebookCell[];

const positions = perNotebook(cells => {
  const found = new Map<unknown, number[]>();
  cells.forEach(({ id }, index) => {
    const same = found.get(id);
    if (same) {
      same.push(index);
    } else {
      found.set(id, [index]);
    }
  });
  return found;
});

/** Position of the first cell with this id; null when there is none. */
export function positionOfId(cells: Cells, id: unknown): number | null {
  return positionsOfId(cells, id)[0] ?? null;
}

/** Positions of all cells with this id: a list that was not read from a file may have an id twice. */
export function positionsOfId(cells: Cells, id: unknown): readonly number[] {
  return positions(cells, '').get(id) ?? [];
}

/** Position of this very object; null when it is not one of the cells. */
export function positionOf(cells: Cells, cell: NotebookCell): number | null {
  return (
    positionsOfId(cells, cell.id).find(index => cells[index] === cell) ?? null
  );
}
