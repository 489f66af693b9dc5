/** Tests of an nbgrader assignment from the master notebook, in place of those that a student has handed in. */
import {
  joinSource,
  METADATA_KEY,
  nbgraderMetadata,
  type NotebookContent
} from './cells';
import { withoutHiddenTests } from './nbgrader';

type Cell = NotebookContent['cells'][number];

export type MasterNote = {
  /** nbgrader's `grade_id`. */
  readonly gradeId: string;
  /** `added`: the master has no such test. */
  readonly what: 'edited' | 'missing' | 'duplicate' | 'added';
};

export type WithMaster = {
  readonly notebook: NotebookContent;
  readonly notes: readonly MasterNote[];
};

/**
 * The student's notebook with the locked cells of the master, found by their grade ids. Solutions stay the
 * student's, with the master's metadata and type. Nothing else counts as a test, and the kernel is the master's.
 */
export function withTestsOf(
  master: NotebookContent,
  student: NotebookContent
): WithMaster {
  const notes: MasterNote[] = [];
  const wanted = new Map(
    master.cells.flatMap(cell => {
      const id = gradeIdOf(cell);
      return id === null ? [] : [[id, cell] as const];
    })
  );
  const seen = new Set<string>();
  const cells = student.cells.map(cell => {
    const gradeId = gradeIdOf(cell);
    const own = gradeId === null ? undefined : wanted.get(gradeId);
    if (gradeId === null || own === undefined || seen.has(gradeId)) {
      if (gradeId !== null && isTest(cell)) {
        notes.push({ gradeId, what: own ? 'duplicate' : 'added' });
      }
      return plain(cell);
    }
    seen.add(gradeId);
    if (!isLocked(own)) {
      const { cell_type } = own;
      return withNbgrader({ ...plain(cell), cell_type }, own);
    }
    if (!isSame(cell, own)) {
      notes.push({ gradeId, what: 'edited' });
    }
    return withNbgrader({ ...plain(cell), ...contentOf(own) }, own);
  });
  const metadata = { ...student.metadata };
  for (const key of ['kernelspec', 'language_info', METADATA_KEY]) {
    delete metadata[key];
    if (key in master.metadata) {
      metadata[key] = master.metadata[key];
    }
  }
  return {
    notebook: { ...student, metadata, cells: withMissing(cells) },
    notes
  };

  /** A cell that was deleted comes back below the one that the master has above it. */
  function withMissing(present: readonly Cell[]): readonly Cell[] {
    const all = [...present];
    let above: string | null = null;
    for (const [gradeId, own] of wanted) {
      if (!seen.has(gradeId)) {
        notes.push({ gradeId, what: 'missing' });
        if (isLocked(own)) {
          const at = all.findIndex(cell => gradeIdOf(cell) === above);
          all.splice(above === null ? 0 : at + 1, 0, withFreeId(own, all));
        }
      }
      if (seen.has(gradeId) || isLocked(own)) {
        above = gradeId;
      }
    }
    return all;
  }
}

function gradeIdOf(cell: Cell): string | null {
  const { grade_id: id } = nbgraderMetadata(cell);
  return typeof id === 'string' && id ? id : null;
}

function isTest(cell: Cell): boolean {
  const { grade, solution } = nbgraderMetadata(cell);
  return grade === true && solution !== true;
}

/** A test, or a cell that students are not to change. */
function isLocked(cell: Cell): boolean {
  const { locked, solution } = nbgraderMetadata(cell);
  return isTest(cell) || (locked === true && solution !== true);
}

function isSame(cell: Cell, own: Cell): boolean {
  const [given, whole] = [cell, own].map(one =>
    joinSource(one.source).replace(/\r\n?/g, '\n').trimEnd()
  );
  return (
    cell.cell_type === own.cell_type &&
    (given === whole || given === withoutHiddenTests(whole ?? '').trimEnd())
  );
}

function contentOf({ cell_type, source }: Cell) {
  return { cell_type, source };
}

function withNbgrader(cell: Cell, own: Cell): Cell {
  const { jupyterlab_refine, tags } = own.metadata;
  return {
    ...cell,
    metadata: {
      ...cell.metadata,
      nbgrader: nbgraderMetadata(own),
      ...(tags === undefined ? {} : { tags }),
      ...(jupyterlab_refine === undefined ? {} : { jupyterlab_refine })
    }
  };
}

const OWN_KEYS = ['nbgrader', METADATA_KEY, 'tags', 'editable'];

/** Without what would make it a check, a scorer or an option, or no solution. */
function plain(cell: Cell): Cell {
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

function withFreeId(own: Cell, cells: readonly Cell[]): Cell {
  const { id } = own;
  const isTaken = cells.some(cell => cell.id === id);
  return isTaken && typeof id === 'string'
    ? { ...own, id: `${id}-of-master` }
    : own;
}
