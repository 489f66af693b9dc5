/** What candidates must not see: the names that only hold-outs define, and those tagged `refine-hide`. */
import type { CheckCell } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { boundElsewhere } from './whole/boundNames';
import { tagsWith, type NotebookCell } from './cells';
import { perNotebook } from './whole/perNotebook';

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
  const seen = boundElsewhere(cells, holding, language);
  const bound = (checks: readonly CheckCell[]) =>
    new Set(
      checks.flatMap(({ source }) => [...analyse(source, language).binds])
    );
  // The part of such a cell that is no hold-out.
  const shown = bound(assertions.filter(check => holding.has(check.cellId)));
  return [...bound(holdouts)].filter(
    name => !seen.binds(name) && !shown.has(name)
  );
}

/** True for a cell with a `refine-hide` tag. */
export function holdsHiddenData(cell: NotebookCell): boolean {
  return tagsWith(cell, HIDE_TAG).length > 0;
}

/** Names in the notebook's `refine-hide: NAME …` tags, also with commas between them. */
export function hiddenData(cells: readonly NotebookCell[]): readonly string[] {
  return [...new Set(hiddenDataCells(cells).flatMap(({ names }) => names))];
}

/** The cells with such tags, in notebook order. */
export function hiddenDataCells(
  cells: readonly NotebookCell[]
): readonly HiddenDataCell[] {
  return holding(cells, '');
}

type HiddenDataCell = {
  /** From 0. */
  readonly index: number;
  readonly names: readonly string[];
};

const holding = perNotebook(cells =>
  cells.flatMap((cell, index): readonly HiddenDataCell[] => {
    const names = hiddenDataOf(cell);
    return names.length > 0 ? [{ index, names }] : [];
  })
);

function hiddenDataOf(cell: NotebookCell): readonly string[] {
  return tagsWith(cell, HIDE_TAG)
    .flatMap(tag => tag.slice(HIDE_TAG.length).split(/[\s,]+/))
    .filter(name => name !== '');
}
