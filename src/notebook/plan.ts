/** Everything that a notebook holds for one target: prompt, checks, options; and the list of what bears on a pass. */
import type {
  CheckCell,
  RightCheck,
  ScorerCell,
  Target
} from '../core/domain/request';
import {
  checkingStatements,
  countedChecks
} from '../core/domain/checks/numberedChecks';
import { isBlankSource } from '../core/python/cell';
import { analyse } from './python/analysis';
import { checksHash, sourceHash, type ResultMetadata } from './provenance';
import { cellAt, refineMetadata, type NotebookCell } from './structure/cells';
import { readCellOptions, type CellOptions } from './options/cellOptions';
import { parseMagicCell } from './magicCell';
import { hiddenDataCells } from './structure/hidden';
import { splitHiddenTests } from './structure/nbgrader';
import { withoutOwnChecks } from './structure/ownChecks';
import { positionOfId } from './structure/perNotebook';
import { findPrompt, type FoundPrompt } from './prompt';
import { isTagged } from './structure/roles';
import {
  checksOfTarget,
  notebookStructure,
  promptCellOf
} from './structure/structure';
import { targetAt } from './structure/targets';

export type TargetPlan = FoundPrompt & {
  readonly target: Target;
  readonly assertions: readonly CheckCell[];
  readonly holdouts: readonly CheckCell[];
  /** Checks that a model disputed and the user confirmed, in a session that goes on. */
  readonly rightChecks?: readonly RightCheck[];
  /** The nearest scorer cell of the target; null when nothing is measured. */
  readonly scorer: ScorerCell | null;
  readonly cellOptions: CellOptions;
};

/** True when nothing says what the cell should do: no prompt, code, check or scorer. */
export function isEmptyPlan(plan: TargetPlan): boolean {
  const { prompt, target, assertions, holdouts, scorer } = plan;
  return (
    prompt.trim() === '' &&
    target.source.trim() === '' &&
    assertions.length + holdouts.length === 0 &&
    scorer === null
  );
}

export type PlanOptions = {
  /** The text of the panel's prompt box for this target. */
  readonly panelPrompt?: string;
};

/** @param given - the target with all that its cell holds. */
export function planTarget(
  cells: readonly NotebookCell[],
  given: Target,
  language: string,
  { panelPrompt = '' }: PlanOptions = {}
): TargetPlan {
  const structure = notebookStructure(cells, language);
  const cell = cellAt(cells, given.index);
  const target = structure.has(given.index)
    ? given
    : withoutOwnChecks(given, cell, language);
  const places = checksOfTarget(structure, target.index).map(
    ([index, place]) => ({ ...place, index, cell: cellAt(cells, index) })
  );
  const scorer = places.find(({ role }) => role === 'scorer');
  const checks = [
    ...ownCheckCells(target, language),
    ...places.flatMap(({ index, cell: { id, source }, role, marked }) => {
      const checkCell = (
        text: string,
        as: CheckCell['role'],
        count = countedChecks
      ): CheckCell => ({
        cellId: id,
        index,
        role: as,
        source: text,
        statements: count(text, language).length
      });
      const { visible, hidden } = splitHiddenTests(source);
      return role === 'scorer'
        ? []
        : role === 'holdout'
          ? [checkCell(source, 'holdout')]
          : [
              // A helper that runs with the checks counts nothing.
              checkCell(
                visible,
                'assertion',
                marked ? countedChecks : checkingStatements
              ),
              checkCell(hidden, 'holdout')
            ];
    })
    // Where all tests are hidden, remarks may be left.
  ].filter(({ source }) => !isBlankSource(source, language));
  const assertions = checks.filter(check => check.role === 'assertion');
  const magicAt = promptCellOf(cells, cell);
  const magicCell = magicAt === null ? null : cellAt(cells, magicAt);
  const magic = magicCell ? parseMagicCell(magicCell.source) : null;
  const prompted: FoundPrompt =
    magicCell && magic?.prompt
      ? {
          prompt: magic.prompt,
          promptOrigin: 'magic',
          promptCells: [magicCell.id]
        }
      : findPrompt(cells, target, language, panelPrompt);
  return {
    ...prompted,
    target,
    assertions,
    holdouts: checks.filter(check => check.role === 'holdout'),
    scorer: scorer?.cell.source.trim()
      ? {
          cellId: scorer.cell.id,
          index: scorer.index,
          source: scorer.cell.source
        }
      : null,
    cellOptions: readCellOptions(
      { ...optionsOf(cell), ...(magicCell ? optionsOf(magicCell) : {}) },
      magic?.options ?? []
    )
  };
}

/** The checks at the end of the target's own cell, each line where it is in the cell. */
function ownCheckCells(
  { cellId, index, source, below }: Target,
  language: string
): readonly CheckCell[] {
  if (below === undefined) {
    return [];
  }
  const checks = source.replace(/[^\n]+/g, '') + below;
  const statements = countedChecks(checks, language).length;
  return [{ cellId, index, role: 'assertion', source: checks, statements }];
}

function optionsOf(cell: NotebookCell): object {
  const options = refineMetadata(cell)['options'];
  return typeof options === 'object' && options !== null ? options : {};
}

/** True when source or checks are no longer those that the result is about. */
export function isStale(
  result: Pick<ResultMetadata, 'sourceHash' | 'checksHash'>,
  cells: readonly NotebookCell[],
  cellId: string,
  language: string
): boolean {
  const index = positionOfId(cells, cellId);
  if (
    index === null ||
    sourceHash(cellAt(cells, index).source) !== result.sourceHash
  ) {
    return true;
  }
  const plan = planTarget(cells, targetAt(cells, index), language);
  return (
    checksHash([...plan.assertions, ...plan.holdouts]) !== result.checksHash
  );
}

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
  /** Tagged as a check, and nothing in it checks, as far as the source says; or a second scorer. */
  readonly checksNothing: boolean;
};

/** Everything that bears on whether a target passes, as panel and command line list it: in notebook order; hidden data last. */
export function plannedChecks(
  cells: readonly NotebookCell[],
  { target, assertions, holdouts, scorer }: TargetPlan,
  language: string
): readonly PlannedCheck[] {
  const known = notebookStructure(cells, language);
  const used = [
    ...[...assertions, ...holdouts],
    ...(scorer && definesScore(scorer.source, language)
      ? [{ ...scorer, role: 'scorer' as const, statements: 0 }]
      : [])
  ].map(check => ({ ...check, checksNothing: false }));
  const idle = checksOfTarget(known, target.index).flatMap(
    ([index, { role }]) => {
      const cell = cellAt(cells, index);
      return isTagged(cell) && !used.some(check => check.index === index)
        ? [{ cellId: cell.id, index, role, statements: 0, checksNothing: true }]
        : [];
    }
  );
  return [
    ...[...used, ...idle]
      .sort((a, b) => a.index - b.index)
      .map(({ cellId, index, role, statements, checksNothing }) => ({
        cellId,
        index,
        role,
        statements,
        names: [],
        tagged: known.get(index)?.marked === true,
        checksNothing
      })),
    ...hiddenDataCells(cells).map(({ index, names }) => ({
      cellId: cellAt(cells, index).id,
      index,
      role: 'hidden-data' as const,
      statements: 0,
      names,
      tagged: true,
      checksNothing: false
    }))
  ];
}

function definesScore(source: string, language: string): boolean {
  return language === 'python'
    ? analyse(source, language).binds.has('score')
    : /\bscore\b/.test(source);
}
