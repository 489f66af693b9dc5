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
import { possibleAssertions } from '../core/python/checks';
import { analyse } from './python/analysis';
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
  /** Without any assertion: the cells below that could be one. */
  readonly candidatesForAssertion: readonly PossibleCheck[];
  readonly cellOptions: CellOptions;
};

/** A cell below a target that uses it and checks nothing. */
export type PossibleCheck = {
  readonly cellId: string;
  /** What it shows, as assertions that could stand in its place; empty: it could be marked as it is. */
  readonly assertions: readonly string[];
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
      assertions.length > 0
        ? []
        : couldBeMarked(cells, target, structure, language),
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
    if (source.trim()) {
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

/** Code cells below that show or use what the target makes, up to the next `%%refine` cell. */
function couldBeMarked(
  cells: readonly NotebookCell[],
  target: Target,
  structure: NotebookStructure,
  language: string
): readonly PossibleCheck[] {
  const { binds } = analyse(target.source, language);
  const found: PossibleCheck[] = [];
  for (let index = target.index + 1; index < cells.length; index++) {
    const cell = cellAt(cells, index);
    if (isMagicCell(cell) || found.length === CANDIDATES_OFFERED) {
      break;
    }
    const { checks, reads } = analyse(cell.source, language);
    const isUsing = checks > 0 || [...reads].some(name => binds.has(name));
    if (cell.type === 'code' && !structure.has(index) && isUsing) {
      const assertions =
        checks === 0 && language === 'python'
          ? possibleAssertions(cell.source)
          : [];
      found.push({ cellId: cell.id, assertions });
    }
  }
  return found;
}
