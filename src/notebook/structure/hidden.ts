/** What candidates must not see: the names that only hold-outs define, and those tagged `refine-hide`. */
import type { CheckCell } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { tagsWith, type NotebookCell } from './cells';

const HIDE_TAG = 'refine-hide:';

/** Names that a hold-out binds and nothing that a candidate may see does. */
export function hiddenNames(
  cells: readonly NotebookCell[],
  assertions: readonly CheckCell[],
  holdouts: readonly CheckCell[],
  language: string
): readonly string[] {
  if (holdouts.length === 0) {
    return [];
  }
  const holding = new Set(holdouts.map(check => check.cellId));
  const seen = [
    ...cells.filter(cell => cell.type === 'code' && !holding.has(cell.id)),
    // The part of such a cell that is no hold-out.
    ...assertions.filter(check => holding.has(check.cellId))
  ];
  const bound = (sources: readonly { readonly source: string }[]) =>
    sources.flatMap(({ source }) => [...analyse(source, language).binds]);
  const known = new Set(bound(seen));
  return [...new Set(bound(holdouts))].filter(name => !known.has(name));
}

/** True for a cell with a `refine-hide` tag. */
export function holdsHiddenData(cell: NotebookCell): boolean {
  return tagsWith(cell, HIDE_TAG).length > 0;
}

/** Names in the notebook's `refine-hide: NAME …` tags, also with commas between them. */
export function hiddenData(cells: readonly NotebookCell[]): readonly string[] {
  return [...new Set(cells.flatMap(hiddenDataOf))];
}

/** The same of one cell. */
export function hiddenDataOf(cell: NotebookCell): readonly string[] {
  return tagsWith(cell, HIDE_TAG)
    .flatMap(tag => tag.slice(HIDE_TAG.length).split(/[\s,]+/))
    .filter(name => name !== '');
}
