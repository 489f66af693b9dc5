/** Checks at the end of a target's own cell: they stay where they are, and candidates replace what is above them. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import type { NotebookCell } from './cells';
import { readResult, sourceHash } from '../provenance';
import { isMagicCell, markedRole } from './roles';

/** Offset at which they start, with the blank lines above them; null where the cell has none. */
export function ownChecks(cell: NotebookCell, language: string): number | null {
  if (
    cell.type !== 'code' ||
    language !== 'python' ||
    markedRole(cell) !== null ||
    isMagicCell(cell)
  ) {
    return null;
  }
  const result = readResult(cell);
  const start =
    result && result.sourceHash === sourceHash(cell.source)
      ? // What a candidate asserts itself is no check of it.
        (result.ownChecks ?? null)
      : analyse(cell.source, language).ownChecks;
  return start === null ? null : cell.source.slice(0, start).trimEnd().length;
}

/** The target without its own checks, which it keeps `below`. */
export function withoutOwnChecks(
  target: Target,
  cell: NotebookCell,
  language: string
): Target {
  const start = ownChecks(cell, language);
  return start === null || target.source !== cell.source
    ? target
    : {
        ...target,
        source: cell.source.slice(0, start),
        below: cell.source.slice(start)
      };
}

/** All that the cell of a target holds. */
export function wholeSource({
  source,
  below = ''
}: Pick<Target, 'source' | 'below'>): string {
  return source + below;
}
