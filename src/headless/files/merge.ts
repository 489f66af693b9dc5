/** Changes to a notebook, made again in what its file has become meanwhile. */
import {
  cellIds,
  type CellContent,
  type NotebookContent
} from '../../notebook';
import { sameJson } from './jsonPatch';

export type Merged =
  | { readonly notebook: NotebookContent }
  /** Why not, as a clause. */
  | { readonly conflict: string };

/**
 * @param base - what was read.
 * @param ours - the same, with cells changed and added.
 * @param theirs - what the file holds now.
 */
export function mergedByCell(
  base: NotebookContent,
  ours: NotebookContent,
  theirs: NotebookContent
): Merged {
  const bases = byOwnId(base);
  const present = byOwnId(theirs);
  const changes = changesOf(base, ours);
  const cells = [...theirs.cells];
  for (const { id, cell, before, above } of changes) {
    const label = `cell [${id}]`;
    const at = cells.findIndex(other => other.id === id);
    if (before === null) {
      const place = cells.findIndex(other => other.id === above);
      if (above === null || place < 0 || at >= 0) {
        return { conflict: `there is no place for ${label} any more` };
      }
      cells.splice(place + 1, 0, cell);
      continue;
    }
    const own = bases.get(id);
    const found = present.get(id);
    if (!own || !found || at < 0) {
      return {
        conflict: own ? `${label} is gone` : `${label} has no id of its own`
      };
    }
    if (
      !sameJson(text(found), text(own)) ||
      found.cell_type !== own.cell_type
    ) {
      return { conflict: `${label} was changed, too` };
    }
    cells[at] = mergedCell(own, cell, found);
  }
  const minor = Math.max(ours.nbformat_minor, theirs.nbformat_minor);
  return { notebook: { ...theirs, nbformat_minor: minor, cells } };
}

type Change = {
  readonly id: string;
  readonly cell: CellContent;
  /** Null for one that was added. */
  readonly before: CellContent | null;
  /** Id of the cell above it. */
  readonly above: string | null;
};

function changesOf(
  base: NotebookContent,
  ours: NotebookContent
): readonly Change[] {
  const ids = cellIds(base);
  const before = new Map(ids.map((id, at) => [id, base.cells[at]!]));
  const ourIds = cellIds(ours);
  return ours.cells.flatMap((cell, at): Change[] => {
    const id = ourIds[at]!;
    const own = before.get(id) ?? null;
    return own !== null && sameJson(own, cell)
      ? []
      : [{ id, cell, before: own, above: ourIds[at - 1] ?? null }];
  });
}

/** Fields that were changed here; outputs only with their source, since they could be newer there. */
function mergedCell(
  own: CellContent,
  cell: CellContent,
  found: CellContent
): CellContent {
  const isEdited = !sameJson(text(own), text(cell));
  const isFresh = sameJson(
    [own.outputs, own.execution_count],
    [found.outputs, found.execution_count]
  );
  const changed = (key: string) =>
    !sameJson(own.metadata[key], cell.metadata[key]);
  const metadata = Object.entries(cell.metadata).filter(([key]) =>
    changed(key)
  );
  return {
    ...found,
    ...(isEdited ? { source: cell.source } : {}),
    ...(isEdited || isFresh
      ? Object.fromEntries(
          Object.entries(cell).filter(([key]) =>
            ['outputs', 'execution_count'].includes(key)
          )
        )
      : {}),
    metadata: { ...found.metadata, ...Object.fromEntries(metadata) }
  };
}

function text({ source }: CellContent): string {
  return typeof source === 'string' ? source : source.join('');
}

/** Without those that have none, or one that another cell has, too. */
function byOwnId(notebook: NotebookContent): ReadonlyMap<string, CellContent> {
  const all = notebook.cells.map(cell => cell.id);
  return new Map(
    notebook.cells.flatMap(cell =>
      typeof cell.id === 'string' &&
      all.indexOf(cell.id) === all.lastIndexOf(cell.id)
        ? [[cell.id, cell] as const]
        : []
    )
  );
}
