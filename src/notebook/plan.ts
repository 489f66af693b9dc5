/** Everything that a notebook holds for one target: prompt, checks, options; and the list of what bears on a pass. */
import type { CheckCell, RefineRequest, Target } from '../core/domain/request';
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
import {
  cellAt,
  record,
  refineMetadata,
  type NotebookCell
} from './structure/cells';
import { readCellOptions, type CellOptions } from './options';
import { parseMagicCell } from './magicCell';
import { hiddenDataCells, splitSource } from './structure/hidden';
import { withoutOwnChecks } from './structure/ownChecks';
import { positionOfId } from './structure/perNotebook';
import { findPrompt, type FoundPrompt } from './prompt';
import { isTagged, markedRole, type MarkedRole } from './structure/roles';
import {
  checksOfTarget,
  notebookStructure,
  promptCellOf
} from './structure/structure';
import { targetAt } from './structure/targets';

export type TargetPlan = FoundPrompt &
  Pick<
    RefineRequest,
    'target' | 'assertions' | 'holdouts' | 'scorer' | 'rightChecks'
  > & { readonly cellOptions: CellOptions };

/** True when nothing says what the cell should do: no prompt, code, check or scorer. */
export function isEmptyPlan(plan: TargetPlan): boolean {
  const { prompt, target, assertions, holdouts, scorer } = plan;
  return (
    prompt.trim() === '' &&
    target.source.trim() === '' &&
    assertions.length + holdouts.length === 0 &&
    !scorer
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
  const target = structure.checks.has(given.index)
    ? given
    : withoutOwnChecks(given, cell, language);
  const places = checksOfTarget(structure, target.index).map(index => {
    const check = cellAt(cells, index);
    return { index, check, role: markedRole(check) };
  });
  const scorer = places.find(({ role }) => role === 'scorer');
  const checkCell = (
    index: number,
    role: CheckCell['role'],
    source: string,
    count = countedChecks
  ) => ({
    cellId: cellAt(cells, index).id,
    index,
    role,
    source,
    statements: count(source, language).length
  });
  // Each line where it is in the cell.
  const own = target.source.replace(/[^\n]+/g, '') + (target.below ?? '');
  const checks = [
    checkCell(target.index, 'assertion', own),
    ...places.flatMap(({ index, check, role }) => {
      const { visible, hidden } = splitSource(check);
      // A helper that runs with the checks counts nothing.
      const count = role ? countedChecks : checkingStatements;
      return role === 'scorer'
        ? []
        : [
            checkCell(index, 'assertion', visible, count),
            checkCell(index, 'holdout', hidden)
          ];
    })
    // Where all tests are hidden, remarks may be left.
  ].filter(({ source }) => !isBlankSource(source, language));
  const magicCell = promptCellOf(cells, cell);
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
    scorer: scorer?.check.source.trim()
      ? {
          cellId: scorer.check.id,
          index: scorer.index,
          source: scorer.check.source
        }
      : undefined,
    cellOptions: readCellOptions(
      { ...optionsOf(cell), ...(magicCell ? optionsOf(magicCell) : {}) },
      magic?.options ?? []
    )
  };
}

function optionsOf(cell: NotebookCell): object {
  return record(refineMetadata(cell)['options']);
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

export type PlannedCheck = ReturnType<typeof plannedChecks>[number];

/**
 * Everything that bears on whether a target passes, as panel and command line list it: each cell in each of its
 * roles, an nbgrader test may have two. In notebook order; hidden data last.
 */
export function plannedChecks(
  cells: readonly NotebookCell[],
  { target, assertions, holdouts, scorer }: TargetPlan,
  language: string
) {
  const planned = (
    index: number,
    role: MarkedRole | 'hidden-data',
    { statements = 0, names = [] as readonly string[], checksNothing = false }
  ) => ({
    cellId: cellAt(cells, index).id,
    /** From 0. */
    index,
    role,
    /** Checking statements, counted without a kernel. */
    statements,
    /** Names of hidden data. */
    names,
    /** False: the cell stands in the run of assertions below the target. */
    tagged: role === 'hidden-data' || markedRole(cellAt(cells, index)) !== null,
    /** Tagged as a check, and nothing in it checks, as far as the source says; or a second scorer. */
    checksNothing
  });
  const used = [...assertions, ...holdouts].map(({ index, role, statements }) =>
    planned(index, role, { statements })
  );
  const source = scorer?.source ?? '';
  const definesScore =
    language === 'python'
      ? analyse(source, language).binds.has('score')
      : /\bscore\b/.test(source);
  if (scorer && definesScore) {
    used.push(planned(scorer.index, 'scorer', {}));
  }
  const structure = notebookStructure(cells, language);
  for (const index of checksOfTarget(structure, target.index)) {
    const cell = cellAt(cells, index);
    if (isTagged(cell) && !used.some(check => check.index === index)) {
      used.push(planned(index, markedRole(cell)!, { checksNothing: true }));
    }
  }
  return [
    ...used.sort((a, b) => a.index - b.index),
    ...hiddenDataCells(cells).map(({ index, names }) =>
      planned(index, 'hidden-data', { names })
    )
  ];
}
