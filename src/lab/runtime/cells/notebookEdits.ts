/** Edits of an open notebook. Each is one undo step of its own and none overwrites a source that changed meanwhile. */
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import type { PartialJSONObject } from '@lumino/coreutils';
import { linkedTarget } from '../../../notebook/edits';
import { METADATA_KEY } from '../../ids';

export const ASSERTION_TAG = 'refine-assert';
export const HOLDOUT_TAG = 'refine-holdout';
export const SCORER_TAG = 'refine-scorer';

/** A cell has one of these roles at most. */
const ROLES: readonly string[] = [ASSERTION_TAG, HOLDOUT_TAG, SCORER_TAG];

/** Where the undo manager of a shared cell starts a new step; not in the shared interface, but in every implementation. */
type UndoableCell = {
  readonly undoManager?: { stopCapturing(): void } | null;
};

type OwnMetadata = Readonly<Record<string, unknown>>;

export function findCell(
  model: INotebookModel | null,
  cellId: string
): ICellModel | null {
  for (const cell of model?.cells ?? []) {
    if (cell.id === cellId) {
      return cell;
    }
  }
  return null;
}

/**
 * Calls back once a cell is no longer in the notebook; a move takes it out and
 * puts it back at once.
 *
 * @returns stops watching.
 */
export function onCellDeleted(
  model: INotebookModel | null,
  cellId: string,
  deleted: () => void
): () => void {
  const cells = model?.cells;
  const stop = () => cells?.changed.disconnect(look);
  const look = () =>
    void setTimeout(() => {
      if (model && !model.isDisposed && !findCell(model, cellId)) {
        stop();
        deleted();
      }
    }, 0);
  cells?.changed.connect(look);
  return stop;
}

/** Replace a cell's source; typing right before or after is not undone with it. */
export function replaceSource(cell: ICellModel, source: string): void {
  const shared = cell.sharedModel as typeof cell.sharedModel & UndoableCell;
  shared.undoManager?.stopCapturing();
  shared.setSource(source);
  shared.undoManager?.stopCapturing();
}

/** Our part of a cell's metadata. */
export function ownMetadata(cell: ICellModel): OwnMetadata {
  const own: unknown = cell.getMetadata(METADATA_KEY);
  return typeof own === 'object' && own !== null && !Array.isArray(own)
    ? (own as OwnMetadata)
    : {};
}

/** Set one key of our metadata; undefined takes it away, and an empty rest with it. */
export function setOwnMetadata(
  cell: ICellModel,
  key: string,
  value: unknown
): void {
  const own = Object.fromEntries(
    Object.entries({ ...ownMetadata(cell), [key]: value }).filter(
      ([, kept]) => kept !== undefined
    )
  );
  if (Object.keys(own).length === 0) {
    cell.deleteMetadata(METADATA_KEY);
  } else {
    cell.setMetadata(METADATA_KEY, own);
  }
}

/** The same for cells of a notebook, by id; those that are gone are left out. */
export function setOwnMetadataOf(
  panel: NotebookPanel | undefined,
  cellIds: readonly string[],
  key: string,
  value: unknown
): void {
  for (const id of cellIds) {
    const cell = findCell(panel?.content.model ?? null, id);
    if (cell) {
      setOwnMetadata(cell, key, value);
    }
  }
}

/** The tags of a cell as strings; anything else in their place counts as none. */
export function tagsOf(cell: ICellModel | undefined): readonly string[] {
  const tags: unknown = cell?.getMetadata('tags');
  return Array.isArray(tags)
    ? tags.filter((tag): tag is string => typeof tag === 'string')
    : [];
}

/** Give a cell a role by its tag, in place of another role, or take it away. */
export function toggleCellRole(cell: ICellModel, role = ASSERTION_TAG): void {
  const before = tagsOf(cell);
  const rest = before.filter(tag => !ROLES.includes(tag));
  const tags = before.includes(role) ? rest : [...rest, role];
  if (tags.length === 0) {
    cell.deleteMetadata('tags');
  } else {
    cell.setMetadata('tags', tags);
  }
}

/**
 * The target of a `%%refine` cell: the code cell linked to it, or a new empty
 * one right below, linked now.
 *
 * @returns its id; null when the prompt cell is gone.
 */
export function ensureLinkedTarget(
  model: INotebookModel,
  promptCellId: string
): string | null {
  const cells = [...model.cells];
  const linked = cells.find(
    cell =>
      cell.type === 'code' && ownMetadata(cell)['promptCell'] === promptCellId
  );
  if (linked) {
    return linked.id;
  }
  const index = cells.findIndex(cell => cell.id === promptCellId);
  if (index < 0) {
    return null;
  }
  const ids = new Set(cells.map(cell => cell.id));
  const { id, source, metadata } = linkedTarget(promptCellId, ids);
  model.sharedModel.insertCell(index + 1, {
    id,
    cell_type: 'code',
    source,
    metadata: metadata as PartialJSONObject
  });
  return id;
}

/**
 * A cell of drafted assertions that the user approved, right below their
 * target; one undo step of the notebook.
 *
 * @returns its id; null when the target is gone.
 */
export function insertApprovedChecks(
  model: INotebookModel,
  targetId: string,
  source: string
): string | null {
  const index = [...model.cells].findIndex(cell => cell.id === targetId);
  if (index < 0) {
    return null;
  }
  const shared = model.sharedModel as typeof model.sharedModel & UndoableCell;
  shared.undoManager?.stopCapturing();
  const created = shared.insertCell(index + 1, {
    cell_type: 'code',
    source,
    metadata: {
      tags: [ASSERTION_TAG],
      [METADATA_KEY]: { target: targetId, generated: true, approved: true }
    }
  });
  shared.undoManager?.stopCapturing();
  return created.getId();
}
