/** Everything that a notebook holds for one target: prompt, checks, options. */
import type {
  CheckCell,
  RightCheck,
  PromptOrigin,
  ScorerCell,
  Target
} from '../core/domain/request';
import {
  checkingStatements,
  countedChecks
} from '../core/domain/checks/numberedChecks';
import { isBlankSource } from '../core/python/blank';
import { cellAt, refineMetadata, type NotebookCell } from './structure/cells';
import { readCellOptions, type CellOptions } from './options/cellOptions';
import { parseMagicCell } from './magicCell';
import { splitHiddenTests } from './structure/nbgrader';
import { withoutOwnChecks } from './structure/ownChecks';
import { findPrompt } from './prompt';
import { isMagicCell } from './structure/roles';
import {
  checksOfTarget,
  notebookStructure,
  promptCellOf,
  type NotebookStructure
} from './structure/structure';
import { lostChecks } from './structure/targets';

export type TargetPlan = {
  readonly target: Target;
  /** Empty when there is none. */
  readonly prompt: string;
  readonly promptOrigin: PromptOrigin;
  /** Ids of the cells that hold the prompt: a `%%refine` cell, or texts. */
  readonly promptCells: readonly string[];
  readonly assertions: readonly CheckCell[];
  readonly holdouts: readonly CheckCell[];
  /** Checks that a model disputed and the user confirmed, in a session that goes on. */
  readonly rightChecks?: readonly RightCheck[];
  /** The nearest scorer cell of the target; null when nothing is measured. */
  readonly scorer: ScorerCell | null;
  /** Without any assertion: ids of the cells below that have checks of the target among other code. */
  readonly candidatesForAssertion: readonly string[];
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

const CANDIDATES_OFFERED = 5;

/** @param given - the target with all that its cell holds. */
export function planTarget(
  cells: readonly NotebookCell[],
  given: Target,
  language: string,
  options: PlanOptions = {}
): TargetPlan {
  const structure = notebookStructure(cells, language);
  const cell = cellAt(cells, given.index);
  const target = structure.has(given.index)
    ? given
    : withoutOwnChecks(given, cell, language);
  const checks = [
    ...ownCheckCells(target, language),
    ...checkCells(cells, target.index, structure, language)
  ];
  const assertions = checks.filter(check => check.role === 'assertion');
  const found = findPrompt(cells, target, language, options.panelPrompt ?? '');
  const magic = promptCellOf(cells, cell);
  const magicCell = magic === null ? null : cellAt(cells, magic);
  return {
    target,
    prompt: found.prompt,
    promptOrigin: found.origin,
    promptCells: found.cellIds,
    assertions,
    holdouts: checks.filter(check => check.role === 'holdout'),
    scorer: scorerCell(cells, target.index, structure),
    candidatesForAssertion:
      assertions.length > 0 ? [] : couldBeMarked(cells, target, language),
    cellOptions: readCellOptions(
      {
        ...optionsOf(cell),
        ...(magicCell ? optionsOf(magicCell) : {})
      },
      magicCell ? parseMagicCell(magicCell.source).options : []
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

function checkCells(
  cells: readonly NotebookCell[],
  target: number,
  structure: NotebookStructure,
  language: string
): readonly CheckCell[] {
  const found: CheckCell[] = [];
  const add = (
    index: number,
    role: CheckCell['role'],
    source: string,
    count = countedChecks
  ) => {
    // Where all tests are hidden, remarks may be left.
    if (!isBlankSource(source, language)) {
      const cell = cellAt(cells, index);
      found.push({
        cellId: cell.id,
        index,
        role,
        source,
        statements: count(source, language).length
      });
    }
  };
  for (const [index, place] of checksOfTarget(structure, target)) {
    if (place.role === 'scorer') {
      continue;
    }
    const { source } = cellAt(cells, index);
    if (place.role === 'holdout') {
      add(index, 'holdout', source);
    } else {
      const { visible, hidden } = splitHiddenTests(source);
      // A helper that runs with the checks counts nothing.
      const count = place.marked ? countedChecks : checkingStatements;
      add(index, 'assertion', visible, count);
      add(index, 'holdout', hidden);
    }
  }
  return found;
}

function scorerCell(
  cells: readonly NotebookCell[],
  target: number,
  structure: NotebookStructure
): ScorerCell | null {
  const scorer = checksOfTarget(structure, target).find(
    ([, { role }]) => role === 'scorer'
  );
  if (!scorer) {
    return null;
  }
  const [index] = scorer;
  const { id, source } = cellAt(cells, index);
  return source.trim() ? { cellId: id, index, source } : null;
}

/** Ids of the cells below with checks that do not count, up to the next `%%refine` cell. */
function couldBeMarked(
  cells: readonly NotebookCell[],
  target: Target,
  language: string
): readonly string[] {
  const next = cells.findIndex(
    (cell, index) => index > target.index && isMagicCell(cell)
  );
  return lostChecks(cells, language)
    .filter(({ index }) => index > target.index && (next < 0 || index < next))
    .map(({ cellId }) => cellId)
    .slice(0, CANDIDATES_OFFERED);
}
