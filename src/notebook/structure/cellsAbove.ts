/** Which cells above a target run to make what it builds on: in the command line's kernel, and in a fresh one. */
import { CellTags, hasTag, type NotebookCell } from './cells';
import { splitHiddenTests } from './nbgrader';
import { isMagicCell, markedRole } from './roles';
import { notebookStructure } from './structure';

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
