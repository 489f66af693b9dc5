/** Notebook cells as this room reads them: nbformat JSON without its variants. */
import { RefineError } from '../../core/errors';

/** The parts of nbformat's JSON that are read or written here; other fields are kept as they are. */
export type NotebookContent = {
  readonly nbformat: number;
  readonly nbformat_minor: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly cells: readonly CellContent[];
};

export type CellContent = {
  readonly cell_type: string;
  readonly id?: unknown;
  readonly source: string | readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly execution_count?: unknown;
  readonly outputs?: unknown;
};

export type NotebookCell = {
  readonly id: string;
  readonly type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** The key under which everything of this extension is kept in a cell's metadata. */
export const METADATA_KEY = 'jupyterlab_refine';

/** Cell tags of the contract. */
export const CellTags = {
  assertion: 'refine-assert',
  holdout: 'refine-holdout',
  scorer: 'refine-scorer',
  /** Never run a second time, in a fresh kernel: it is expensive, posts or writes. */
  skip: 'refine-skip',
  /** Jupyter's own: that the cell raises is intended. */
  raises: 'raises-exception'
} as const;

/** nbformat's multi-line string as one string. */
export function joinSource(source: string | readonly string[]): string {
  return typeof source === 'string' ? source : source.join('');
}

/** Wider than nbformat, but no id can pass for other text in a line of results. */
const CELL_ID = /^[^\s\p{C}[\]]{1,64}$/u;

/**
 * Cells of a notebook. Ids are made from the position where the notebook has
 * none that can be used (nbformat < 4.5), or has one twice.
 *
 * @throws RefineError kind `input` for a notebook older than nbformat 4.
 */
export function cellsFromNotebook(
  notebook: NotebookContent
): readonly NotebookCell[] {
  if (notebook.nbformat !== 4 || !Array.isArray(notebook.cells)) {
    throw new RefineError(
      'input',
      `Notebook format ${notebook.nbformat} cannot be read, only format 4: open the notebook in JupyterLab and save it.`
    );
  }
  const ids = cellIds(notebook);
  return notebook.cells.map((cell, index) => ({
    id: ids[index] ?? '',
    type:
      cell.cell_type === 'code' || cell.cell_type === 'markdown'
        ? cell.cell_type
        : 'raw',
    source: joinSource(cell.source),
    metadata: cell.metadata
  }));
}

/** The cell at a position that is known to exist. */
export function cellAt(
  cells: readonly NotebookCell[],
  index: number
): NotebookCell {
  const cell = cells[index];
  if (!cell) {
    throw new RangeError(`There is no cell at position ${index}`);
  }
  return cell;
}

/** Id of each cell, by position; the same for the same notebook every time. */
export function cellIds(notebook: NotebookContent): readonly string[] {
  const seen = new Set<string>();
  return notebook.cells.map((cell, index) => {
    const own =
      typeof cell.id === 'string' && CELL_ID.test(cell.id) ? cell.id : null;
    const id = own !== null && !seen.has(own) ? own : `cell-${index}`;
    seen.add(id);
    return id;
  });
}

/** Language of a notebook's kernel in lower case; `python` where it is unknown. */
export function notebookLanguage(notebook: NotebookContent): string {
  const info = record(notebook.metadata['language_info'])['name'];
  const spec = record(notebook.metadata['kernelspec'])['language'];
  return String(info || spec || 'python').toLowerCase();
}

/** The same, or null where the kernel's specification and the last kernel's own word disagree: one of them is stale. */
export function certainLanguage(notebook: NotebookContent): string | null {
  const language = notebookLanguage(notebook);
  const spec = record(notebook.metadata['kernelspec'])['language'];
  return String(spec || language).toLowerCase() === language ? language : null;
}

/** A cell's own metadata of this extension; empty where there is none. */
export function refineMetadata(
  cell: NotebookCell
): Readonly<Record<string, unknown>> {
  return record(cell.metadata[METADATA_KEY]);
}

export function nbgraderMetadata(
  cell: Pick<NotebookCell, 'metadata'>
): Readonly<Record<string, unknown>> {
  return record(cell.metadata['nbgrader']);
}

export function hasTag(cell: NotebookCell, tag: string): boolean {
  return tagsOf(cell).includes(tag);
}

export function tagsOf(cell: NotebookCell): readonly string[] {
  const tags = cell.metadata['tags'];
  return Array.isArray(tags)
    ? tags.filter((tag): tag is string => typeof tag === 'string')
    : [];
}

/** The value itself, or an empty one for what is no object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
