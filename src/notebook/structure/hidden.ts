/** What candidates must not see: the names that only hold-outs define, and those tagged `refine-hide`. */
import type { CheckCell } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { tagsOf, type NotebookCell } from './cells';
import { splitHiddenTests } from './nbgrader';
import { perNotebook } from './perNotebook';
import { isMagicCell, markedRole } from './roles';

const HIDE_TAG = 'refine-hide:';

/** Names that the hold-outs of a target bind, and nothing that a candidate may see. */
export function hiddenNames(
  cells: readonly NotebookCell[],
  holdouts: readonly CheckCell[],
  language: string
): readonly string[] {
  const hidden = namesOnlyInHoldouts(cells, language);
  const bound = holdouts.flatMap(({ source }) => [
    ...analyse(source, language).binds
  ]);
  return [...new Set(bound)].filter(name => hidden.has(name));
}

/** Names that nothing but the hold-outs of a notebook binds. */
export const namesOnlyInHoldouts = perNotebook(
  (cells, language): ReadonlySet<string> => {
    const split = cells.filter(({ type }) => type === 'code').map(splitSource);
    const bound = (source: string) => [...analyse(source, language).binds];
    const names = new Set(split.flatMap(({ hidden }) => bound(hidden)));
    if (names.size > 0) {
      const seen = split.flatMap(({ visible }) => bound(visible));
      seen.forEach(name => names.delete(name));
    }
    return names;
  }
);

/** A cell's source, apart by whether a candidate may see it. */
export function splitSource(cell: NotebookCell) {
  return markedRole(cell) === 'holdout'
    ? { visible: '', hidden: cell.source }
    : splitHiddenTests(cell.source);
}

/** What of a cell candidates and kernels may get beside the checks: nothing of scorers and `%%refine` cells either. */
export function visibleSource(cell: NotebookCell): string {
  return cell.type === 'raw' ||
    isMagicCell(cell) ||
    markedRole(cell) === 'scorer'
    ? ''
    : splitSource(cell).visible;
}

/** True for a cell with a `refine-hide` tag. */
export function holdsHiddenData(cell: NotebookCell): boolean {
  return tagsOf(cell).some(tag => tag.startsWith(HIDE_TAG));
}

/** Names in the notebook's `refine-hide: NAME …` tags, also with commas between them. */
export function hiddenData(cells: readonly NotebookCell[]): readonly string[] {
  return [...new Set(hiddenDataCells(cells).flatMap(({ names }) => names))];
}

/** The cells with such tags, by position from 0, in notebook order. */
export const hiddenDataCells = perNotebook(cells =>
  cells
    .map((cell, index) => ({
      index,
      names: tagsOf(cell)
        .filter(tag => tag.startsWith(HIDE_TAG))
        .flatMap(tag => tag.slice(HIDE_TAG.length).match(/[^\s,]+/g) ?? [])
    }))
    .filter(({ names }) => names.length > 0)
);
