/** What a single cell is by its own tags and metadata, its neighbours aside. */
import {
  CellTags,
  hasTag,
  nbgraderMetadata,
  refineMetadata,
  type NotebookCell
} from './cells';
import { cellMagic } from '../../core/python/syntax';

/** Checks that are marked as such; an unmarked run of assertions is found in `structure.ts`. */
export type MarkedRole = 'assertion' | 'holdout' | 'scorer';

/** Of two the one that reveals less to a model. */
const ROLES = ['holdout', 'scorer', 'assertion'] as const;

/** The tag decides over nbgrader. */
export function markedRole(cell: NotebookCell): MarkedRole | null {
  const tagged = ROLES.find(role => hasTag(cell, CellTags[role]));
  return cell.type !== 'code'
    ? null
    : (tagged ?? (isTest(cell) ? 'assertion' : null));
}

/** True for a cell with one of the tags of checks, code or not. */
export function isTagged(cell: NotebookCell): boolean {
  return ROLES.some(role => hasTag(cell, CellTags[role]));
}

/** An nbgrader test that no tag makes anything else: what is graded is all that checks its target. */
export function isGradedTest(cell: NotebookCell): boolean {
  return cell.type === 'code' && !isTagged(cell) && isTest(cell);
}

/** A cell that nbgrader grades, and no student solves. */
export function isTest(cell: Pick<NotebookCell, 'metadata'>): boolean {
  const { grade, solution } = nbgraderMetadata(cell);
  return grade === true && solution !== true;
}

/** The target's author wants no checks but tagged ones (`metadata.jupyterlab_refine.onlyTagged`). */
export function wantsOnlyTagged(target: NotebookCell): boolean {
  return refineMetadata(target)['onlyTagged'] === true;
}

/** A `%%refine` cell. */
export function isMagicCell(cell: NotebookCell): boolean {
  return cell.type === 'code' && cellMagic(cell.source) === 'refine';
}

/** A cell of nothing but `%refine` lines: commands, no code. */
export function isLineMagic(cell: NotebookCell): boolean {
  const lines = cell.source.trim().split(/\s*\n\s*/);
  return cell.type === 'code' && lines.every(line => /^%refine\b/.test(line));
}

/** nbgrader locked it, or the notebook says that it must not be edited. */
export function isLocked(cell: NotebookCell): boolean {
  return isLockedByNbgrader(cell) || cell.metadata['editable'] === false;
}

/** A cell that the course's author locked: a test, a helper, a text. */
export function isLockedByNbgrader(cell: NotebookCell): boolean {
  return nbgraderMetadata(cell)['locked'] === true;
}

/** A cell in which a student is to write the solution. */
export function isSolution(cell: NotebookCell): boolean {
  return nbgraderMetadata(cell)['solution'] === true;
}
