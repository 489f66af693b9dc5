/** Tests of an nbgrader assignment from the master notebook, in place of those that a student has handed in. */
import {
  joinSource,
  METADATA_KEY,
  nbgraderMetadata,
  type CellContent,
  type NotebookContent
} from './cells';
import { splitHiddenTests } from './nbgrader';
import { isTest } from './roles';

export type MasterNote = {
  /** nbgrader's `grade_id`. */
  readonly gradeId: string;
  /** `added`: the master has no such test. */
  readonly what: 'edited' | 'missing' | 'duplicate' | 'added';
};

/**
 * The student's notebook with the locked cells of the master, found by their grade ids. Solutions stay the
 * student's, with the master's metadata and type. Nothing else counts as a test, and the kernel is the master's.
 */
export function withTestsOf(
  master: NotebookContent,
  student: NotebookContent
): {
  readonly notebook: NotebookContent;
  readonly notes: readonly MasterNote[];
} {
  const notes: MasterNote[] = [];
  const wanted = new Map(
    master.cells.map(cell => [gradeIdOf(cell), cell] as const)
  );
  wanted.delete('');
  const missing = new Map(wanted);
  const cells = student.cells.map(cell => {
    const gradeId = gradeIdOf(cell);
    const own = missing.get(gradeId);
    missing.delete(gradeId);
    if (!own) {
      if (gradeId !== '' && isTest(cell)) {
        const what = wanted.has(gradeId) ? 'duplicate' : 'added';
        notes.push({ gradeId, what });
      }
      return plain(cell);
    }
    if (isLocked(own) && !isSame(cell, own)) {
      notes.push({ gradeId, what: 'edited' });
    }
    const { source } = isLocked(own) ? own : cell;
    return withOwnMetadata({ ...plain(cell), source }, own);
  });
  // A cell that was deleted comes back below the one that the master has above it.
  let below = 0;
  for (const [gradeId, own] of wanted) {
    if (missing.has(gradeId)) {
      notes.push({ gradeId, what: 'missing' });
      if (isLocked(own)) {
        cells.splice(below++, 0, own);
      }
    } else {
      below = cells.findIndex(cell => gradeIdOf(cell) === gradeId) + 1;
    }
  }
  const metadata = { ...student.metadata };
  for (const key of ['kernelspec', 'language_info', METADATA_KEY]) {
    delete metadata[key];
    if (key in master.metadata) {
      metadata[key] = master.metadata[key];
    }
  }
  return { notebook: { ...student, metadata, cells }, notes };
}

/** Empty where it has none. */
function gradeIdOf(cell: CellContent): string {
  const { grade_id: id } = nbgraderMetadata(cell);
  return typeof id === 'string' ? id : '';
}

/** A test, or a cell that students are not to change. */
function isLocked(cell: CellContent): boolean {
  const { locked, solution } = nbgraderMetadata(cell);
  return isTest(cell) || (locked === true && solution !== true);
}

function isSame(cell: CellContent, own: CellContent): boolean {
  const text = ({ source }: CellContent) =>
    joinSource(source).replace(/\r\n?/g, '\n').trimEnd();
  return (
    cell.cell_type === own.cell_type &&
    [text(own), splitHiddenTests(text(own)).handedOut.trimEnd()].includes(
      text(cell)
    )
  );
}

const OWN_KEYS = ['nbgrader', METADATA_KEY, 'tags', 'editable'];

/** The student's cell with the master's type, tags, and metadata of nbgrader and ours. */
function withOwnMetadata(cell: CellContent, own: CellContent): CellContent {
  const kept = Object.entries(own.metadata).filter(
    ([key]) => OWN_KEYS.includes(key) && key !== 'editable'
  );
  return {
    ...cell,
    cell_type: own.cell_type,
    metadata: { ...cell.metadata, ...Object.fromEntries(kept) }
  };
}

/** Without what would make it a check, a scorer or an option, or no solution. */
function plain(cell: CellContent): CellContent {
  const { tags } = cell.metadata;
  const metadata = Object.fromEntries(
    Object.entries(cell.metadata).filter(([key]) => !OWN_KEYS.includes(key))
  );
  const kept = Array.isArray(tags)
    ? tags.filter(tag => !String(tag).startsWith('refine-'))
    : [];
  return {
    ...cell,
    metadata: kept.length > 0 ? { ...metadata, tags: kept } : metadata
  };
}
