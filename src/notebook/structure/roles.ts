/** What a single cell is by its own tags and metadata, its neighbours aside. */
import {
  CellTags,
  hasTag,
  nbgraderMetadata,
  refineMetadata,
  type NotebookCell
} from './cells';
import { cellMagic } from '../../core/python/magics';

/** Checks that are marked as such; an unmarked run of assertions is found in `structure.ts`. */
export type MarkedRole = 'assertion' | 'holdout' | 'scorer';

/** The tag decides over nbgrader; of two tags the one that reveals less to a model. */
export function markedRole(cell: NotebookCell): MarkedRole | null {
  if (cell.type !== 'code') {
    return null;
  }
  if (hasTag(cell, CellTags.holdout)) {
    return 'holdout';
  }
  if (hasTag(cell, CellTags.scorer)) {
    return 'scorer';
  }
  if (hasTag(cell, CellTags.assertion)) {
    return 'assertion';
  }
  const nbgrader = nbgraderMetadata(cell);
  return nbgrader['grade'] === true && nbgrader['solution'] !== true
    ? 'assertion'
    : null;
}

/** Assertions that a model drafted and nobody approved. */
export function isUnapprovedDraft(cell: NotebookCell): boolean {
  const { generated, approved } = refineMetadata(cell);
  return generated === true && approved !== true;
}

/** A `%%refine` cell. */
export function isMagicCell(cell: NotebookCell): boolean {
  return cell.type === 'code' && cellMagic(cell.source) === 'refine';
}

/** A cell of nothing but `%refine` lines: commands, no code. */
export function isLineMagic(cell: NotebookCell): boolean {
  return cell.type === 'code' && /^(\s*%refine\b.*)+\s*$/.test(cell.source);
}

/** nbgrader locked it, or the notebook says that it must not be edited. */
export function isLocked(cell: NotebookCell): boolean {
  return (
    nbgraderMetadata(cell)['locked'] === true ||
    cell.metadata['editable'] === false
  );
}

/** A cell in which a student is to write the solution. */
export function isSolution(cell: NotebookCell): boolean {
  return nbgraderMetadata(cell)['solution'] === true;
}
