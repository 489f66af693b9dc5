/** Everything that bears on whether a target passes, cell by cell, as panel and command line list it. */
import { analyse } from './python/analysis';
import type { TargetPlan } from './plan';
import { cellAt, type NotebookCell } from './structure/cells';
import { hiddenDataCells } from './structure/hidden';
import { isTagged, markedRole } from './structure/roles';
import {
  checksOfTarget,
  notebookStructure,
  type NotebookStructure
} from './structure/structure';

/** Why a tagged cell checks nothing. */
export type TagProblem =
  | 'no-check'
  | 'no-score'
  /** Another scorer of the target stands above it. */
  | 'second-scorer'
  | 'no-target'
  | 'not-code';

/** One cell, in one of its roles: an nbgrader test may have two. */
export type PlannedCheck = {
  readonly cellId: string;
  /** From 0. */
  readonly index: number;
  readonly role: 'assertion' | 'holdout' | 'scorer' | 'hidden-data';
  /** Checking statements, counted without a kernel. */
  readonly statements: number;
  /** Names of hidden data. */
  readonly names: readonly string[];
  /** False: the cell stands in the run of assertions below the target. */
  readonly tagged: boolean;
  /** Null: it checks something. */
  readonly problem: TagProblem | null;
};

/** The list for one target, in notebook order; hidden data last. */
export function plannedChecks(
  cells: readonly NotebookCell[],
  plan: TargetPlan,
  language: string
): readonly PlannedCheck[] {
  const target = plan.target.index;
  const known = notebookStructure(cells, language);
  const scorerCell = plan.scorer
    ? [{ ...plan.scorer, role: 'scorer' as const, statements: 0 }]
    : [];
  const used = [...plan.assertions, ...plan.holdouts, ...scorerCell].map(
    ({ cellId, index, role, statements }): PlannedCheck => ({
      ...entry(cells, index),
      cellId,
      role,
      statements,
      tagged: known.get(index)?.marked === true,
      problem:
        role === 'holdout' && plan.assertions.some(a => a.cellId === cellId)
          ? null
          : tagProblem(cells, index, known, language)
    })
  );
  const unused = checksOfTarget(known, target).flatMap(
    ([index, place]): PlannedCheck[] => {
      const { id } = cellAt(cells, index);
      const problem = tagProblem(cells, index, known, language);
      return problem !== null && !used.some(({ cellId }) => cellId === id)
        ? [{ ...entry(cells, index), role: place.role, tagged: true, problem }]
        : [];
    }
  );
  const hidden = hiddenDataCells(cells).map(
    ({ index, names }): PlannedCheck => ({
      ...entry(cells, index),
      role: 'hidden-data',
      names,
      tagged: true
    })
  );
  return [...[...used, ...unused].sort((a, b) => a.index - b.index), ...hidden];
}

function entry(cells: readonly NotebookCell[], index: number): PlannedCheck {
  return {
    cellId: cellAt(cells, index).id,
    index,
    role: 'assertion',
    statements: 0,
    names: [],
    tagged: false,
    problem: null
  };
}

/** As far as the source says: what a call does is known once it has run, so a cell that names an assertion counts. */
function tagProblem(
  cells: readonly NotebookCell[],
  index: number,
  known: NotebookStructure,
  language: string
): TagProblem | null {
  const cell = cellAt(cells, index);
  if (!isTagged(cell)) {
    return null;
  }
  const role = markedRole(cell);
  if (role === null) {
    return 'not-code';
  }
  const target = known.get(index)?.target ?? null;
  if (target === null) {
    return 'no-target';
  }
  if (role === 'scorer') {
    const earlier = checksOfTarget(known, target).some(
      ([other, place]) => other < index && place.role === 'scorer'
    );
    return !definesScore(cell.source, language)
      ? 'no-score'
      : earlier
        ? 'second-scorer'
        : null;
  }
  return cell.source.trim() === '' ? 'no-check' : null;
}

function definesScore(source: string, language: string): boolean {
  return language === 'python'
    ? analyse(source, language).binds.has('score')
    : /\bscore\b/.test(source);
}
