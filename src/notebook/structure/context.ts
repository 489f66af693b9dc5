/** Which cells above a target go to the model. */
import type { ContextCell, Target } from '../../core/domain/request';
import { cellAt, type NotebookCell } from './cells';
import { holdsHiddenData } from './hidden';
import { splitHiddenTests } from './nbgrader';
import { perCell, perNotebook } from './whole/perNotebook';
import { positionsOfId } from './whole/positions';
import { isMagicCell, markedRole } from './roles';
import { maskSecrets } from '../secrets';

export type ChosenContext = {
  /** In notebook order. */
  readonly cells: readonly ContextCell[];
  readonly cellsLeftOut: number;
  /** What was masked, one a cell. */
  readonly masked: readonly MaskedCell[];
};

/** A cell above of which literals were masked; how it is named is the client's business. */
export type MaskedCell = {
  readonly cellId: string;
  /** From 0. */
  readonly index: number;
  /** How many literals. */
  readonly count: number;
};

/** A rest of the budget that is not worth a cut cell. */
const LEAST_CUT = 200;

/**
 * Sources of the cells above the target within `budget` characters, nearest
 * first. The first that does not fit is cut after its last line that does;
 * those above it are left out. Never outputs, hold-outs, hidden tests, scorers
 * or cells of hidden data, which may hold its values; `without`
 * are ids of the target's own checks and prompt, which are sent as such.
 */
export function chooseContext(
  cells: readonly NotebookCell[],
  target: Target,
  budget: number,
  without: readonly string[] = []
): ChosenContext {
  const { shown, before } = shownCells(cells, '');
  const above = before[Math.min(target.index, cells.length)] ?? 0;
  const ownCells = new Set(
    [...new Set(without)]
      .flatMap(id => positionsOfId(cells, id))
      .filter(
        index => index < target.index && before[index] !== before[index + 1]
      )
  );
  const chosen: ContextCell[] = [];
  const maskedCells: MaskedCell[] = [];
  let left = budget;
  for (let at = above - 1; at >= 0; at--) {
    const index = shown[at] ?? 0;
    if (ownCells.has(index)) {
      continue;
    }
    const cell = cellAt(cells, index);
    const masked = maskedSource(cell);
    const cut = masked.text.length > left;
    const source = cut ? cutAtLine(masked.text, left) : masked.text;
    if (!source.trim()) {
      break;
    }
    chosen.push({
      cellId: cell.id,
      index,
      kind: cell.type === 'markdown' ? 'markdown' : 'code',
      source,
      cut
    });
    if (masked.count > 0) {
      maskedCells.push({ cellId: cell.id, index, count: masked.count });
    }
    left -= source.length;
    if (cut) {
      break;
    }
  }
  return {
    cells: chosen.reverse(),
    cellsLeftOut: above - ownCells.size - chosen.length,
    masked: maskedCells.reverse()
  };
}

/** Positions of the cells that may be sent, at least in part, and how many of them are before each position. */
const shownCells = perNotebook(cells => {
  const shown: number[] = [];
  const before = [0];
  cells.forEach((cell, index) => {
    if (visibleSource(cell).trim()) {
      shown.push(index);
    }
    before.push(shown.length);
  });
  return { shown, before };
});

const maskedSource = perCell(cell => maskSecrets(visibleSource(cell)));

/** What of a cell may be sent at all; empty for cells that may not. */
function visibleSource(cell: NotebookCell): string {
  if (
    cell.type === 'raw' ||
    isMagicCell(cell) ||
    markedRole(cell) === 'holdout' ||
    markedRole(cell) === 'scorer' ||
    holdsHiddenData(cell)
  ) {
    return '';
  }
  return splitHiddenTests(cell.source).visible;
}

/** The whole lines that fit; empty where too little of the budget is left for any. */
function cutAtLine(text: string, budget: number): string {
  if (budget < LEAST_CUT) {
    return '';
  }
  const end = text.lastIndexOf('\n', budget);
  return end > 0 ? text.slice(0, end) : '';
}
