/** Everything that bears on whether a target passes, cell by cell, as panel and command line list it. */
import { analyse } from './python/analysis';
import type { TargetPlan } from './plan';
import { cellAt, type NotebookCell } from './structure/cells';
import { hiddenDataCells } from './structure/hidden';
import { isTagged } from './structure/roles';
import { checksOfTarget, notebookStructure } from './structure/structure';

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
  /** Why a tagged cell checks nothing, as far as the source says; null: it checks something. */
  readonly problem: 'no-check' | 'no-score' | 'second-scorer' | null;
};

/** The list for one target, in notebook order; hidden data last. */
export function plannedChecks(
  cells: readonly NotebookCell[],
  { target, assertions, holdouts, scorer }: TargetPlan,
  language: string
): readonly PlannedCheck[] {
  const known = notebookStructure(cells, language);
  const noScore =
    scorer && !definesScore(scorer.source, language) ? 'no-score' : null;
  const used = [
    ...[...assertions, ...holdouts].map(check => ({ ...check, problem: null })),
    ...(scorer
      ? [
          {
            ...scorer,
            role: 'scorer',
            statements: 0,
            problem: noScore
          } as const
        ]
      : [])
  ].map(({ cellId, index, role, statements, problem }): PlannedCheck => ({
    cellId,
    index,
    role,
    statements,
    names: [],
    tagged: known.get(index)?.marked === true,
    problem
  }));
  const idle = checksOfTarget(known, target.index)
    .map(([index, { role }]) => ({ cell: cellAt(cells, index), index, role }))
    .filter(
      ({ cell, index }) =>
        isTagged(cell) && !used.some(check => check.index === index)
    )
    .map(({ cell, index, role }): PlannedCheck => ({
      cellId: cell.id,
      index,
      role,
      statements: 0,
      names: [],
      tagged: true,
      problem:
        role !== 'scorer'
          ? 'no-check'
          : scorer && scorer.index < index
            ? 'second-scorer'
            : 'no-score'
    }));
  const hidden = hiddenDataCells(cells).map(
    ({ index, names }): PlannedCheck => ({
      cellId: cellAt(cells, index).id,
      index,
      role: 'hidden-data',
      statements: 0,
      names,
      tagged: true,
      problem: null
    })
  );
  return [...[...used, ...idle].sort((a, b) => a.index - b.index), ...hidden];
}

function definesScore(source: string, language: string): boolean {
  return language === 'python'
    ? analyse(source, language).binds.has('score')
    : /\bscore\b/.test(source);
}
