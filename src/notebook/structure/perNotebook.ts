/**
 * Remembers what follows from a whole notebook and is needed for each of its targets. Without it, the work for all
 * targets of a notebook grows with the square of their number.
 */
import type { NotebookCell } from './cells';

type Cells = readonly NotebookCell[];

/** `find`, called once for each list of cells and language. Cells never change: a changed notebook has another list. */
export function perNotebook<T>(
  find: (cells: Cells, language: string) => T
): (cells: Cells, language?: string) => T {
  const known = new WeakMap<Cells, Map<string, T>>();
  return (cells, language = '') => {
    const own = known.get(cells) ?? new Map<string, T>();
    const found = own.get(language) ?? find(cells, language);
    known.set(cells, own.set(language, found));
    return found;
  };
}

/** Position of the first cell with this id; null when there is none. */
export function positionOfId(cells: Cells, id: unknown): number | null {
  return positions(cells).get(id) ?? null;
}

const positions = perNotebook(
  cells =>
    new Map<unknown, number>(
      cells.map(({ id }, index) => [id, index] as const).reverse()
    )
);
