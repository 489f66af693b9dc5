/**
 * Remembers what follows from a whole notebook and is needed for each of its targets. Without it, the work for all
 * targets of a notebook grows with the square of their number.
 */
import type { NotebookCell } from '../cells';

type Cells = readonly NotebookCell[];

/** `find`, called once for each list of cells and language. Cells never change: a changed notebook has another list. */
export function perNotebook<T>(
  find: (cells: Cells, language: string) => T
): (cells: Cells, language: string) => T {
  const known = new WeakMap<Cells, Map<string, { readonly found: T }>>();
  return (cells, language) => {
    const key = earlier.get(cells) ?? cells;
    const own = known.get(key) ?? new Map<string, { readonly found: T }>();
    known.set(key, own);
    const { found } = own.get(language) ?? { found: find(cells, language) };
    own.set(language, { found });
    return found;
  };
}

/** For an edited list of cells: the first list whose findings still hold for it. */
const earlier = new WeakMap<Cells, Cells>();

/** Use for `cells` what is found for `before`: see `editedCells.ts`. */
export function sameFindings(cells: Cells, before: Cells): void {
  earlier.set(cells, earlier.get(before) ?? before);
}

/** The same for each cell alone. */
export function perCell<T>(
  find: (cell: NotebookCell) => T
): (cell: NotebookCell) => T {
  const known = new WeakMap<NotebookCell, { readonly found: T }>();
  return cell => {
    const { found } = known.get(cell) ?? { found: find(cell) };
    known.set(cell, { found });
    return found;
  };
}
