/** Which targets of a notebook a command is about. */
import { RefineError } from '../../../core/errors';
import type { Target } from '../../../core/domain/request';
import {
  allTargets,
  editRefusal,
  findTarget,
  positionOfId,
  lostChecks,
  type NotebookCell,
  type TargetPolicy
} from '../../../notebook';
import { cellLabel } from '../../report/results';

/**
 * Ids of the cells that are named by their id or their position from 0.
 *
 * @throws RefineError kind `input` for one that the notebook does not have.
 */
export function cellIdsOf(
  path: string,
  cells: readonly NotebookCell[],
  named: readonly string[]
): readonly string[] {
  return named.map(name => {
    const byId = positionOfId(cells, name);
    const index = byId ?? (/^\d+$/.test(name) ? Number(name) : -1);
    const cell = cells[index];
    if (!cell) {
      throw noTarget(
        `--cell ${name}: ${path} has no such cell; it has ${cells.length}, from 0 to ${cells.length - 1}.`
      );
    }
    return cell.id;
  });
}

/**
 * The targets that the cells with these ids are or belong to, or all of them; in notebook order, with a sentence
 * for each cell that is left alone.
 *
 * @throws RefineError kind `input` for a refused cell, or a notebook without targets.
 */
export function chooseTargets(
  path: string,
  cells: readonly NotebookCell[],
  language: string,
  ids: readonly string[],
  policy: TargetPolicy
): { readonly targets: readonly Target[]; readonly notes: readonly string[] } {
  if (ids.length > 0) {
    const chosen = new Map<string, Target>();
    for (const id of ids) {
      const index = positionOfId(cells, id) ?? -1;
      const { target, refused } = findTarget(cells, index, language);
      const why = target ? editRefusal(cells, target.index, policy) : refused;
      if (!target || why !== null) {
        throw noTarget(`${path} ${cellLabel({ index, cellId: id })}: ${why}`);
      }
      chosen.set(target.cellId, target);
    }
    const targets = [...chosen.values()].sort((a, b) => a.index - b.index);
    return { targets, notes: [] };
  }
  const notes = lostChecks(cells, language).map(
    cell =>
      `${path} ${cellLabel(cell)} has checks among other code, which do not count. Move them to the end of the cell or to their own cell, or tag the cell refine-assert.`
  );
  const targets = allTargets(cells, language).filter(target => {
    const refused = editRefusal(cells, target.index, policy);
    if (refused !== null) {
      notes.push(`${path} ${cellLabel(target)}: ${refused}`);
    }
    return refused === null;
  });
  if (targets.length === 0) {
    throw noTarget(
      notes.join('\n') ||
        `${path} has no target. Add a cell with assertions below the target, tag a cell refine-assert, or choose a cell with --cell.`
    );
  }
  return { targets, notes };
}

function noTarget(message: string): RefineError {
  return new RefineError('input', message, { code: 'no-target' });
}
