/** Changes to a notebook's JSON, for the command line: a new notebook, everything else as it was. */
import {
  cellAt,
  cellIds,
  cellsFromNotebook,
  METADATA_KEY,
  type CellContent,
  type NotebookCell,
  type NotebookContent
} from './structure/cells';
import { isMagicCell } from './structure/roles';
import { promptCellOf } from './structure/structure';
import { withRefineMetadata } from './provenance';

/** What becomes of one cell; what is not named stays. */
export type CellEdit = Pick<CellContent, 'outputs' | 'execution_count'> & {
  readonly cellId: string;
  readonly source?: string;
  /** Fields of this extension's metadata. */
  readonly refine?: Readonly<Record<string, unknown>>;
};

/** The notebook with the edits applied; edits of unknown cells are an error of the caller. */
export function applyOutcome(
  notebook: NotebookContent,
  edits: readonly CellEdit[]
): NotebookContent {
  const ids = cellIds(notebook);
  const cells = [...notebook.cells];
  for (const { cellId, source, refine, ...fields } of edits) {
    const index = ids.indexOf(cellId);
    const cell = cells[index];
    if (!cell) {
      throw new Error(`The notebook has no cell ${cellId}`);
    }
    cells[index] = {
      ...cell,
      ...fields,
      ...(source === undefined ? {} : { source: sourceLike(cell, source) }),
      ...(refine && { metadata: withRefineMetadata(cell.metadata, refine) })
    };
  }
  return { ...notebook, cells };
}

/** One string where the cell had one, lines where it had those. */
function sourceLike({ source }: CellContent, text: string) {
  return typeof source === 'string'
    ? text
    : (text.match(/[^\n]*\n|[^\n]+/g) ?? []);
}

/**
 * The notebook with an empty code cell below each `%%refine` cell that has no
 * linked one. Links need ids: an older notebook becomes nbformat 4.5.
 */
export function withLinkedTargets(notebook: NotebookContent): NotebookContent {
  const cells = cellsFromNotebook(notebook);
  const linked = new Set(cells.map(cell => promptCellOf(cells, cell)));
  const missing = new Set(
    cells.filter(cell => isMagicCell(cell) && !linked.has(cell))
  );
  if (missing.size === 0) {
    return notebook;
  }
  const ids = new Set(cells.map(cell => cell.id));
  return {
    ...notebook,
    nbformat_minor: Math.max(5, notebook.nbformat_minor),
    cells: notebook.cells.flatMap((cell, index) => {
      const read = cellAt(cells, index);
      const withId = { ...cell, id: read.id };
      if (!missing.has(read)) {
        return [withId];
      }
      const { id, metadata } = linkedTarget(read.id, ids);
      ids.add(id);
      const empty = { source: [], execution_count: null, outputs: [] };
      return [withId, { cell_type: 'code', id, metadata, ...empty }];
    })
  };
}

/** The code cell that a `%%refine` cell without one gets, right below it. */
export function linkedTarget(
  promptCell: string,
  taken: ReadonlySet<string>
): NotebookCell {
  const name = `${promptCell.slice(0, 50)}-target`;
  let id = name;
  for (let n = 2; taken.has(id); n++) {
    id = `${name}-${n}`;
  }
  const metadata = { [METADATA_KEY]: { promptCell } };
  return { id, type: 'code', source: '', metadata };
}
