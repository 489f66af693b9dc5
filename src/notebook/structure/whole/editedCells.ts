/**
 * Keeps what is known of a notebook when few of its cells are edited, as `jupyter refine run` does for each accepted
 * target. An accepted solution usually has the names that the cell had before, so what is known still holds.
 */
import { analyse } from '../../python/analysis';
import { mayBindUnseen } from './boundNames';
import { METADATA_KEY, refineMetadata, type NotebookCell } from '../cells';
import { splitHiddenTests } from '../nbgrader';
import { sameFindings } from './perNotebook';
import { isMagicCell, markedRole } from '../roles';

/** Fields of our metadata that report on a cell and decide nothing. */
const REPORTS = { result: undefined, fingerprint: undefined };

/**
 * The cells, which are an edit of `before`. If no edit changes how the cells depend on each other, what is known of
 * `before` is used for them.
 */
export function editedCells(
  cells: readonly NotebookCell[],
  before: readonly NotebookCell[],
  language: string
): readonly NotebookCell[] {
  const isSame =
    cells.length === before.length &&
    cells.every((cell, index) => {
      const old = before[index];
      return cell === old || (old && areAlike(cell, old, language));
    });
  if (isSame && cells !== before) {
    sameFindings(cells, before);
  }
  return cells;
}

/** Whether `perNotebook` finds the same in a notebook with either of the cells. */
function areAlike(a: NotebookCell, b: NotebookCell, language: string): boolean {
  return (
    a.id === b.id &&
    a.type === b.type &&
    metadataText(a) === metadataText(b) &&
    (a.source === b.source ||
      (factsOf(a, language) ?? a) === (factsOf(b, language) ?? b))
  );
}

function metadataText(cell: NotebookCell): string {
  const own = { ...refineMetadata(cell), ...REPORTS };
  return JSON.stringify({ ...cell.metadata, [METADATA_KEY]: own });
}

/** The facts of a source that other cells depend on, as text; null for a cell that may check, or is a command. */
function factsOf(cell: NotebookCell, language: string): string | null {
  const { source, type } = cell;
  const { looksLikeCheck, binds, imports, reads, checks, statements } = analyse(
    source,
    language
  );
  const isPlain =
    type === 'code' &&
    markedRole(cell) === null &&
    !isMagicCell(cell) &&
    !looksLikeCheck &&
    splitHiddenTests(source).hidden === '';
  return isPlain
    ? JSON.stringify([
        [...binds].sort(),
        [...imports].sort(),
        reads.has('response'),
        mayBindUnseen(source),
        source.trim() === '',
        statements.length > 0,
        checks > 0
      ])
    : null;
}
