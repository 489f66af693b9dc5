/** What candidates must not see: the names that only hold-outs define, and those tagged `refine-hide`. */
import type { CheckCell } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { tagsOf, type NotebookCell } from './cells';
import { splitHiddenTests } from './nbgrader';
import { perNotebook } from './perNotebook';
import { markedRole } from './roles';

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
    const code = cells.filter(({ type }) => type === 'code');
    const split = code.map(cell => {
      const { visible, hidden } = splitHiddenTests(cell.source);
      return markedRole(cell) === 'holdout'
        ? { visible: '', hidden: cell.source }
        : { visible, hidden };
    });
    const bound = (source: string) => analyse(source, language).binds;
    const names = split.flatMap(({ hidden }) => [...bound(hidden)]);
    const seen = new Set(
      names.length > 0
        ? split.flatMap(({ visible }) => [...bound(visible)])
        : []
    );
    return new Set(names.filter(name => !seen.has(name)));
  }
);

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
  cells.flatMap((cell, index) => {
    const names = tagsOf(cell)
      .filter(tag => tag.startsWith(HIDE_TAG))
      .flatMap(tag => tag.slice(HIDE_TAG.length).split(/[\s,]+/))
      .filter(name => name !== '');
    return names.length > 0 ? [{ index, names }] : [];
  })
);
