/** Which cell is to be refined: for an active cell, and for a whole notebook. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { cellAt, type NotebookCell } from './cells';
import { isLineMagic, isLocked, isMagicCell, isSolution } from './roles';
import { perNotebook } from './whole/perNotebook';
import { checksOfTarget, notebookStructure, promptCellOf } from './structure';
import { sentence } from '../../core/messages/sentence';

export type RefusalCode =
  | 'no-cell'
  | 'raw-cell'
  /** Nothing but `%refine` lines. */
  | 'line-magic'
  | 'locked'
  | 'solution'
  | 'check-without-target'
  /** The `%%refine` cell has no linked code cell yet: one is to be created below it. */
  | 'target-missing';

/** Why a cell cannot be refined; `refused` is a sentence for the user. */
export type Refusal = {
  readonly refused: string;
  readonly code: RefusalCode;
  /** With `target-missing`: the position of the `%%refine` cell. */
  readonly promptCell?: number;
};

export type TargetSearch = { readonly target: Target } | Refusal;

export type TargetPolicy = {
  /** The server's policy allows refining an nbgrader solution cell. */
  readonly allowSolutionCells?: boolean;
  /** Nothing is edited: a locked cell may be checked. */
  readonly allowLockedCells?: boolean;
};

/** The target that the cell at `activeIndex` belongs to. */
export function findTarget(
  cells: readonly NotebookCell[],
  activeIndex: number,
  language: string,
  policy: TargetPolicy = {}
): TargetSearch {
  const cell = cells[activeIndex];
  if (!cell) {
    return { refused: sentence('target.none'), code: 'no-cell' };
  }
  if (cell.type === 'raw') {
    return {
      refused: sentence('target.raw'),
      code: 'raw-cell'
    };
  }
  if (isLineMagic(cell)) {
    return { refused: sentence('target.line-magic'), code: 'line-magic' };
  }
  if (isMagicCell(cell)) {
    const linked = linkedTarget(cells, activeIndex);
    return linked === null
      ? {
          refused: sentence('target.no-code-cell'),
          code: 'target-missing',
          promptCell: activeIndex
        }
      : editable(cells, linked, policy);
  }
  const structure = notebookStructure(cells, language);
  const check = structure.get(activeIndex);
  if (check) {
    return check.target === null
      ? {
          refused: sentence('target.check-alone'),
          code: 'check-without-target'
        }
      : editable(cells, check.target, policy);
  }
  const below = activeIndex + 1;
  const isPrompt =
    cell.type === 'markdown' &&
    checksOfTarget(structure, activeIndex).length === 0 &&
    cells[below]?.type === 'code' &&
    !structure.has(below) &&
    !isMagicCell(cells[below]) &&
    !isLocked(cells[below]);
  return editable(cells, isPrompt ? below : activeIndex, policy);
}

/** Targets of the command line: linked to a `%%refine` cell, or above a group of assertions; in notebook order. */
export function allTargets(
  cells: readonly NotebookCell[],
  language: string
): readonly Target[] {
  const found = new Set<number>();
  for (const place of notebookStructure(cells, language).values()) {
    if (place.target !== null) {
      found.add(place.target);
    }
  }
  cells.forEach((cell, index) => {
    if (cell.type === 'code' && promptCellOf(cells, cell) !== null) {
      found.add(index);
    }
  });
  return [...found].sort((a, b) => a - b).map(index => asTarget(cells, index));
}

/**
 * Cells whose checks do not count, because they also contain other code, below a cell that has no check; in notebook
 * order.
 */
export function uncountedChecks(
  cells: readonly NotebookCell[],
  language: string
): readonly CheckAlone[] {
  const checks = notebookStructure(cells, language);
  const targets = new Set(
    allTargets(cells, language).map(({ index }) => index)
  );
  let above: number | null = null;
  return cells.flatMap(({ id, type, source }, index) => {
    if (type !== 'code' || checks.has(index)) {
      return [];
    }
    const isAlone =
      above !== null &&
      !targets.has(above) &&
      !targets.has(index) &&
      analyse(source, language).checks > 0;
    above = index;
    return isAlone ? [{ cellId: id, index }] : [];
  });
}

type CheckAlone = Pick<Target, 'cellId' | 'index'>;

/** Why the cell at `index` must not be edited; null when it may be. */
export function editRefusal(
  cells: readonly NotebookCell[],
  index: number,
  policy: TargetPolicy = {}
): Refusal | null {
  const cell = cellAt(cells, index);
  if (isLocked(cell) && policy.allowLockedCells !== true) {
    return {
      refused: sentence('target.locked'),
      code: 'locked'
    };
  }
  if (isSolution(cell) && policy.allowSolutionCells !== true) {
    return {
      refused: sentence('target.solution'),
      code: 'solution'
    };
  }
  return null;
}

function editable(
  cells: readonly NotebookCell[],
  index: number,
  policy: TargetPolicy
): TargetSearch {
  return (
    editRefusal(cells, index, policy) ?? { target: asTarget(cells, index) }
  );
}

/** Position of the code cell that is linked to the `%%refine` cell at `promptCell`. */
function linkedTarget(
  cells: readonly NotebookCell[],
  promptCell: number
): number | null {
  return linkedTargets(cells, '').get(promptCell) ?? null;
}

/** By the position of a `%%refine` cell: that of the first code cell linked to it. */
const linkedTargets = perNotebook(cells => {
  const found = new Map<number, number>();
  cells.forEach((cell, index) => {
    const prompt = cell.type === 'code' ? promptCellOf(cells, cell) : null;
    if (prompt !== null && !found.has(prompt)) {
      found.set(prompt, index);
    }
  });
  return found;
});

function asTarget(cells: readonly NotebookCell[], index: number): Target {
  const cell = cellAt(cells, index);
  return {
    cellId: cell.id,
    index,
    kind: cell.type === 'markdown' ? 'markdown' : 'code',
    source: cell.source
  };
}
