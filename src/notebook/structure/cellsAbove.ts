/** The code cells above a target that make what it builds on: which of them run in a fresh kernel, and which have not run in this one. */
import { CellTags, hasTag, type NotebookCell } from './cells';
import { splitHiddenTests } from './nbgrader';
import { isMagicCell, markedRole } from './roles';
import { notebookStructure } from './structure';
import { analyse } from '../python/analysis';
import { namesToInspect } from './names';
import type { TargetPlan } from '../plan';

export type CellAbove = {
  readonly id: string;
  /** From 0. */
  readonly index: number;
  readonly source: string;
  readonly isCheck: boolean;
  /** It checks another target, or is tagged `raises-exception` or `refine-skip`: that it fails ends nothing. */
  readonly mayFail: boolean;
  /** Tagged `refine-skip`: it is never run a second time. */
  readonly skip: boolean;
};

/**
 * The code cells before `end`: not `%%refine` cells, which the kernel does not
 * know, nor hold-outs, hidden tests and scorers, whose names no candidate may see.
 */
export function cellsAbove(
  cells: readonly NotebookCell[],
  end: number,
  language: string
): readonly CellAbove[] {
  const checks = notebookStructure(cells, language);
  return cells.slice(0, end).flatMap((cell, index) => {
    const role = markedRole(cell);
    const skip = hasTag(cell, CellTags.skip);
    const source =
      cell.type === 'code' ? splitHiddenTests(cell.source).visible : '';
    return source.trim() === '' ||
      isMagicCell(cell) ||
      (role !== null && role !== 'assertion')
      ? []
      : [
          {
            id: cell.id,
            index,
            source,
            isCheck: checks.has(index),
            mayFail: checks.has(index) || skip || hasTag(cell, CellTags.raises),
            skip
          }
        ];
  });
}

export type UnrunCell = {
  readonly id: string;
  /** From 0. */
  readonly index: number;
  /** Tagged `refine-skip`: never run without asking. */
  readonly skip: boolean;
};

export type KernelFacts = {
  /** Sources that have run in this kernel; null: it does not know. */
  readonly ran: ReadonlySet<string> | null;
  /** Names that the kernel has now, of those that {@link namesAbove} returns. */
  readonly names: ReadonlySet<string>;
};

/** Names that the cells above bind at their top level. */
export function namesAbove(
  cells: readonly NotebookCell[],
  { target }: TargetPlan,
  language: string
): readonly string[] {
  const above = cellsAbove(cells, target.index, language);
  return [
    ...new Set(
      above.flatMap(({ source }) => [...analyse(source, language).binds])
    )
  ];
}

/**
 * Cells above with code of which the kernel has neither run the source nor knows
 * all names, checks aside; `needed` when prompt, target or checks name something
 * that only they define.
 */
export function unrunCells(
  cells: readonly NotebookCell[],
  plan: TargetPlan,
  language: string,
  { ran, names }: KernelFacts
): { readonly cells: readonly UnrunCell[]; readonly needed: boolean } {
  const unrun = cellsAbove(cells, plan.target.index, language)
    .filter(({ isCheck }) => !isCheck)
    .flatMap(({ id, index, skip, source }) => {
      const { binds, statements } = analyse(source, language);
      const missing = [...binds].filter(name => !names.has(name));
      const whole = cells[index]?.source ?? source;
      const hasRun =
        ran?.has(source.trimEnd()) ||
        ran?.has(whole.trimEnd()) ||
        statements.length === 0 ||
        (binds.size === 0 ? ran === null : missing.length === 0);
      return hasRun ? [] : [{ cell: { id, index, skip }, missing }];
    });
  const missing = new Set(unrun.flatMap(cell => cell.missing));
  return {
    cells: unrun.map(({ cell }) => cell),
    needed: namesToInspect(plan, cells, language).some(name =>
      missing.has(name)
    )
  };
}
