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
import {
  checksHash,
  sha256,
  sourceHash,
  type ResultMetadata
} from './provenance';
import { cellAt, refineMetadata, type NotebookCell } from './structure/cells';
import { readCellOptions, type CellOptions } from './options';
import { parseMagicCell } from './magicCell';
import { hiddenDataCells, splitSource } from './structure/hidden';
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

/**
 * @param given - the target with all that its cell holds.
 * @param panelPrompt - the text of the panel's prompt box for this target.
 */
export function planTarget(
  cells: readonly NotebookCell[],
  given: Target,
  language: string,
  { panelPrompt = '' }: { readonly panelPrompt?: string } = {}
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
    ...places.flatMap(({ index, cell: check, role, marked }) => {
      const { visible, hidden } = splitSource(check);
      // A helper that runs with the checks counts nothing.
      const count = marked ? countedChecks : checkingStatements;
      const cellOf = (
        source: string,
        as: CheckCell['role'],
        counted = count
      ) => ({
        cellId: check.id,
        index,
        role: as,
        source,
        statements: counted(source, language).length
      });
      return role === 'scorer'
        ? []
        : [
            cellOf(visible, 'assertion'),
            cellOf(hidden, 'holdout', countedChecks)
          ];
    })
    // Where all tests are hidden, remarks may be left.
  ].filter(({ source }) => !isBlankSource(source, language));
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
    assertions: checks.filter(check => check.role === 'assertion'),
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

/** Identifies prompt, options, checks and source of a target: what a `%%refine` run depends on. */
export function fingerprint(plan: TargetPlan): string {
  return sha256(
    JSON.stringify([
      plan.prompt,
      plan.cellOptions.values,
      [...plan.assertions, ...plan.holdouts].map(check => check.source),
      plan.target.source
    ])
  );
}

/** True when the `%%refine` cell was run with exactly this before: running it again does nothing. */
export function wasRefined(
  cells: readonly NotebookCell[],
  plan: TargetPlan
): boolean {
  const { fingerprint: before } = refineMetadata(
    cellAt(cells, plan.target.index)
  );
  return before === fingerprint(plan);
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
  const planned = (
    index: number,
    role: PlannedCheck['role'],
    more: Partial<PlannedCheck> = {}
  ): PlannedCheck => ({
    cellId: cellAt(cells, index).id,
    index,
    role,
    statements: 0,
    names: [],
    tagged: known.get(index)?.marked === true,
    checksNothing: false,
    ...more
  });
  const used = [...assertions, ...holdouts].map(({ index, role, statements }) =>
    planned(index, role, { statements })
  );
  const definesScore =
    language === 'python'
      ? analyse(scorer?.source ?? '', language).binds.has('score')
      : /\bscore\b/.test(scorer?.source ?? '');
  if (scorer && definesScore) {
    used.push(planned(scorer.index, 'scorer'));
  }
  const idle = checksOfTarget(known, target.index).flatMap(
    ([index, { role }]) =>
      isTagged(cellAt(cells, index)) &&
      !used.some(check => check.index === index)
        ? [planned(index, role, { checksNothing: true })]
        : []
  );
  return [
    ...[...used, ...idle].sort((a, b) => a.index - b.index),
    ...hiddenDataCells(cells).map(({ index, names }) =>
      planned(index, 'hidden-data', { names, tagged: true })
    )
  ];
}
