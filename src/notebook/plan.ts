/** Everything that a notebook holds for one target: prompt, checks, options. */
import type {
  CheckCell,
  RightCheck,
  PromptOrigin,
  ScorerCell,
  Target
} from '../core/domain/request';
import { countedChecks } from '../core/domain/checks/numberedChecks';
import { analyse } from './python/analysis';
import { cellAt, refineMetadata, type NotebookCell } from './structure/cells';
import { readCellOptions, type CellOptions } from './options/cellOptions';
import { parseMagicCell } from './magicCell';
import { splitHiddenTests } from './structure/nbgrader';
import { findPrompt } from './prompt';
import { isMagicCell, isUnapprovedDraft } from './structure/roles';
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
  /** Id of the cell that holds the prompt: a `%%refine` or a markdown cell. */
  readonly promptCell: string | null;
  readonly assertions: readonly CheckCell[];
  readonly holdouts: readonly CheckCell[];
  /** Checks that a model disputed and the user confirmed, in a session that goes on. */
  readonly rightChecks?: readonly RightCheck[];
  /** The nearest scorer cell of the target; null when nothing is measured. */
  readonly scorer: ScorerCell | null;
  /** Without any assertion: ids of the cells below that could be marked as one. */
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

export function planTarget(
  cells: readonly NotebookCell[],
  target: Target,
  language: string,
  options: PlanOptions = {}
): TargetPlan {
  const structure = notebookStructure(cells, language);
  const checks = withoutNeedlessDrafts(
    checkCells(cells, target.index, structure, language)
  );
  const assertions = checks.filter(check => check.role === 'assertion');
  const found = findPrompt(cells, target, language, options.panelPrompt ?? '');
  const magic = promptCellOf(cells, cellAt(cells, target.index));
  const magicCell = magic === null ? null : cellAt(cells, magic);
  return {
    target,
    prompt: found.prompt,
    promptOrigin: found.origin,
    promptCell:
      found.origin === 'magic' && magicCell
        ? magicCell.id
        : found.origin === 'markdown'
          ? cellAt(cells, target.index - 1).id
          : null,
    assertions,
    holdouts: checks.filter(check => check.role === 'holdout'),
    scorer: scorerCell(cells, target.index, structure),
    candidatesForAssertion:
      assertions.length > 0
        ? []
        : couldBeMarked(cells, target.index, structure, language),
    cellOptions: readCellOptions(
      {
        ...optionsOf(cellAt(cells, target.index)),
        ...(magicCell ? optionsOf(magicCell) : {})
      },
      magicCell ? parseMagicCell(magicCell.source).options : []
    )
  };
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
  const add = (index: number, role: CheckCell['role'], source: string) => {
    if (source.trim()) {
      const cell = cellAt(cells, index);
      found.push({
        cellId: cell.id,
        index,
        role,
        source,
        statements: countedChecks(source, language).length,
        ...(isUnapprovedDraft(cell) ? { unverified: true } : {})
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
      add(index, 'assertion', visible);
      add(index, 'holdout', hidden);
    }
  }
  return found;
}

/** Drafts overrule nothing of the user's: they count where nothing else checks. */
function withoutNeedlessDrafts(
  checks: readonly CheckCell[]
): readonly CheckCell[] {
  const own = checks.filter(check => !check.unverified);
  return own.length > 0 ? own : checks;
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

/** Code cells below that check something or use what the target makes, up to the next `%%refine` cell. */
function couldBeMarked(
  cells: readonly NotebookCell[],
  target: number,
  structure: NotebookStructure,
  language: string
): readonly string[] {
  const { binds } = analyse(cellAt(cells, target).source, language);
  const found: string[] = [];
  for (let index = target + 1; index < cells.length; index++) {
    const cell = cellAt(cells, index);
    if (isMagicCell(cell) || found.length === CANDIDATES_OFFERED) {
      break;
    }
    if (cell.type !== 'code' || structure.has(index)) {
      continue;
    }
    const { statements, reads } = analyse(cell.source, language);
    if (
      statements.some(statement => statement.kind === 'check') ||
      [...reads].some(name => binds.has(name))
    ) {
      found.push(cell.id);
    }
  }
  return found;
}
