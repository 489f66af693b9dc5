/** Which cell is to be refined: for an active cell, and for a whole notebook. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { cellAt, type NotebookCell } from './cells';
import { isLineMagic, isLocked, isMagicCell, isSolution } from './roles';
import { ownChecks } from './ownChecks';
import { readResult } from '../provenance';
import {
  checksOfTarget,
  notebookStructure,
  promptCellOf,
  type NotebookStructure
} from './structure';

export type TargetPolicy = {
  /** The server's policy allows refining an nbgrader solution cell. */
  readonly allowSolutionCells?: boolean;
  /** Nothing is edited: a locked cell may be checked. */
  readonly allowLockedCells?: boolean;
};

/** Solution and locked cells may always be checked, since that edits nothing. */
export const CHECK_POLICY: TargetPolicy = {
  allowSolutionCells: true,
  allowLockedCells: true
};

/** The target that the cell at `activeIndex` belongs to, whether or not it may be edited ({@link editRefusal}); else why there is none, as a sentence. */
export function findTarget(
  cells: readonly NotebookCell[],
  activeIndex: number,
  language: string
) {
  const cell = cells[activeIndex];
  if (!cell) {
    return { refused: 'No cell is selected.' };
  }
  if (cell.type === 'raw') {
    return {
      refused: 'A raw cell cannot be refined. Select a code or markdown cell.'
    };
  }
  if (isLineMagic(cell)) {
    return {
      refused: 'This cell contains a Refine command. Select the cell to refine.'
    };
  }
  if (isMagicCell(cell)) {
    const linked = cells.findIndex(
      other => other.type === 'code' && promptCellOf(cells, other) === cell
    );
    return linked < 0
      ? {
          refused: 'The %%refine cell has no code cell yet.',
          /** One is to be created below it. */
          lacksTarget: true
        }
      : { target: targetAt(cells, linked) };
  }
  const structure = notebookStructure(cells, language);
  const checked = structure.checks.get(activeIndex) ?? null;
  if (checked !== null) {
    return { target: targetAt(cells, checked) };
  }
  // Nothing but checks, of something that no cell above holds: candidates would replace the checks.
  const isTestAlone =
    cell.type === 'code' &&
    analyse(cell.source, language).isTest &&
    ownChecks(cell, language) === null &&
    readResult(cell) === null;
  if (structure.checks.has(activeIndex) || isTestAlone) {
    return {
      refused: 'This check has no code cell above it. Add one, then select it.'
    };
  }
  const code =
    cell.type === 'markdown'
      ? promptedBelow(cells, activeIndex, structure)
      : activeIndex;
  const target =
    code === null
      ? activeIndex
      : demonstrated(cells, code, structure, language);
  return { target: targetAt(cells, target ?? code ?? activeIndex) };
}

/** The code cell that a text is the prompt of; null where the text itself is checked, or nothing to write is below it. */
function promptedBelow(
  cells: readonly NotebookCell[],
  text: number,
  structure: NotebookStructure
): number | null {
  const isProse =
    checksOfTarget(structure, text).length > 0 ||
    promptCellOf(cells, cellAt(cells, text)) !== null;
  const index = cells.findIndex(({ type }, at) => at > text && type === 'code');
  const below = cells[index];
  return below &&
    !isProse &&
    !structure.checks.has(index) &&
    !isMagicCell(below) &&
    !isLocked(below)
    ? index
    : null;
}

/** The target that a cell between it and its checks only shows; null for any other cell. */
function demonstrated(
  cells: readonly NotebookCell[],
  shown: number,
  structure: NotebookStructure,
  language: string
): number | null {
  const cell = cellAt(cells, shown);
  const namesOf = ({ source }: NotebookCell) => analyse(source, language);
  const { makes, helpers, statements, reads } = namesOf(cell);
  const targets = [...structure.checks].flatMap(([check, target]) =>
    target !== null && target < shown && shown < check ? [target] : []
  );
  const index = Math.max(-1, ...targets);
  const target = cells[index];
  return target &&
    statements.length > 0 &&
    makes.size + helpers.size === 0 &&
    checksOfTarget(structure, shown).length === 0 &&
    (cells[shown - 1]?.type === 'code' || isSolution(target)) &&
    [...namesOf(target).binds].some(name => reads.has(name))
    ? index
    : null;
}

/** Targets of the command line: linked to a `%%refine` cell, or with checks below or at their end; in notebook order. */
export function allTargets(
  cells: readonly NotebookCell[],
  language: string
): readonly Target[] {
  const structure = notebookStructure(cells, language);
  const checked = new Set(
    [...structure.checks].flatMap(([check, target]) =>
      structure.leftOut.has(check) ? [] : [target]
    )
  );
  return cells.flatMap((cell, index) =>
    checked.has(index) ||
    (cell.type === 'code' &&
      (promptCellOf(cells, cell) !== null ||
        (!structure.checks.has(index) && ownChecks(cell, language) !== null)))
      ? [targetAt(cells, index)]
      : []
  );
}

/** Cells with checks in between other code, which count for no target; in notebook order. */
export function lostChecks(
  cells: readonly NotebookCell[],
  language: string
): readonly Pick<Target, 'cellId' | 'index'>[] {
  const structure = notebookStructure(cells, language);
  return cells.flatMap((cell, index) => {
    const { checks, isTest } = analyse(cell.source, language);
    return language === 'python' &&
      cell.type === 'code' &&
      checks > 0 &&
      !isTest &&
      !structure.checks.has(index) &&
      ownChecks(cell, language) === null
      ? [{ cellId: cell.id, index }]
      : [];
  });
}

/** Why the cell at `index` must not be edited, as a sentence; null when it may be. */
export function editRefusal(
  cells: readonly NotebookCell[],
  index: number,
  { allowLockedCells, allowSolutionCells }: TargetPolicy = {}
): string | null {
  const cell = cellAt(cells, index);
  return isLocked(cell) && !allowLockedCells
    ? 'This cell is locked, so Refine does not edit it.'
    : isSolution(cell) && !allowSolutionCells
      ? 'Refine edits an nbgrader solution cell only if the server’s policy allows it (refine_graded_cells).'
      : null;
}

/** The target at a position, with all that its cell holds. */
export function targetAt(
  cells: readonly NotebookCell[],
  index: number
): Target {
  const cell = cellAt(cells, index);
  return {
    cellId: cell.id,
    index,
    kind: cell.type === 'markdown' ? 'markdown' : 'code',
    source: cell.source
  };
}
