/** The code cells above a target that make what it builds on: which of them run in a fresh kernel, and which have not run in this one. */
import { CellTags, hasTag, type NotebookCell } from './cells';
import { visibleSource } from './hidden';
import { notebookStructure } from './structure';
import { analyse } from '../python/analysis';
import { namesToInspect } from './names';
import type { TargetPlan } from '../plan';

export type CellAbove = ReturnType<typeof cellsAbove>[number];

/**
 * The code cells before `end`: not `%%refine` cells, which the kernel does not
 * know, nor hold-outs, hidden tests and scorers, whose names no candidate may see.
 */
export function cellsAbove(
  cells: readonly NotebookCell[],
  end: number,
  language: string
) {
  const { checks } = notebookStructure(cells, language);
  return cells
    .slice(0, end)
    .map((cell, index) => {
      const skip = hasTag(cell, CellTags.skip);
      const isCheck = checks.has(index);
      return {
        id: cell.id,
        /** From 0. */
        index,
        source: cell.type === 'code' ? visibleSource(cell) : '',
        isCheck,
        /** It checks another target, or is tagged `raises-exception` or `refine-skip`: that it fails ends nothing. */
        mayFail: isCheck || skip || hasTag(cell, CellTags.raises),
        /** Tagged `refine-skip`: it is never run a second time. */
        skip
      };
    })
    .filter(({ source }) => source.trim() !== '');
}

/** Names that the cells above bind at their top level. */
export function namesAbove(
  cells: readonly NotebookCell[],
  { target }: TargetPlan,
  language: string
): readonly string[] {
  const names = cellsAbove(cells, target.index, language).flatMap(
    ({ source }) => [...analyse(source, language).binds]
  );
  return [...new Set(names)];
}

/**
 * Cells above with code of which the kernel has neither run the source nor knows
 * all names, checks aside; `needed` when prompt, target or checks name something
 * that only they define.
 *
 * @param ran - sources that have run in this kernel; null: it does not know.
 * @param names - that the kernel has now, of {@link namesAbove}.
 */
export function unrunCells(
  cells: readonly NotebookCell[],
  plan: TargetPlan,
  language: string,
  ran: ReadonlySet<string> | null,
  names: ReadonlySet<string>
): { readonly cells: readonly CellAbove[]; readonly needed: boolean } {
  const missing = new Set<string>();
  const unrun = cellsAbove(cells, plan.target.index, language).filter(
    ({ isCheck, index, source }) => {
      const { binds, statements } = analyse(source, language);
      const unknown = [...binds].filter(name => !names.has(name));
      const hasRun =
        isCheck ||
        [source, cells[index]!.source].some(one => ran?.has(one.trimEnd())) ||
        statements.length === 0 ||
        (binds.size === 0 ? ran === null : unknown.length === 0);
      if (!hasRun) {
        unknown.forEach(name => missing.add(name));
      }
      return !hasRun;
    }
  );
  const named = namesToInspect(plan, cells, language);
  return { cells: unrun, needed: named.some(name => missing.has(name)) };
}
