/** A notebook as it stands on disk: its value, and its text, of which only what changes is written anew. */
import { readFileSync } from 'node:fs';
import { RefineError } from '../../core/errors';
import {
  cellIds,
  cellsFromNotebook,
  type NotebookCell,
  type NotebookContent
} from '../../notebook';
import { cellLabel } from '../report/results';
import { patchJson, type Pairing } from './jsonPatch';
import { parseJson, type JsonNode } from './jsonText';
import { fileProblem } from './fileProblem';

export class NotebookText {
  /** @throws RefineError kind `input`, naming the file. */
  static read(path: string): NotebookText {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (cause) {
      throw new RefineError('input', `${path}: ${fileProblem(cause)}`, {
        cause
      });
    }
    const text = decoded(path, bytes);
    let root: JsonNode;
    try {
      root = parseJson(text, text.startsWith('\uFEFF') ? 1 : 0);
    } catch (cause) {
      const where =
        cause instanceof SyntaxError ? ` See ${cause.message}.` : '';
      throw new RefineError(
        'input',
        `${path} is not a notebook: it is not JSON.${where}`,
        { cause }
      );
    }
    if (!isNotebook(root.value)) {
      throw new RefineError(
        'input',
        `${path} is not a notebook: it has no nbformat and no cells.`
      );
    }
    try {
      cellsFromNotebook(root.value);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new RefineError('input', `${path}: ${message}`, { cause });
    }
    return new NotebookText(text, root, root.value);
  }

  private constructor(
    /** With its byte order mark. */
    readonly text: string,
    private readonly _root: JsonNode,
    readonly notebook: NotebookContent
  ) {}

  /** The text of `after`, a notebook made from this one: cells may have changed, and some been added. */
  changedTo(after: NotebookContent): string {
    const before = cellIds(this.notebook);
    const cells: Pairing = (_, { length }) => {
      const same = length === before.length;
      return cellIds(after).map((id, at) => {
        const from = same ? at : before.indexOf(id);
        return from < 0 ? null : from;
      });
    };
    return patchJson(this.text, this._root, after, { cells });
  }
}

/** @throws RefineError kind `input` for what could not be written again as it was. */
function decoded(path: string, bytes: Buffer): string {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes);
  } catch (cause) {
    throw new RefineError(
      'input',
      `${path} is not valid UTF-8. Convert it, for example with iconv.`,
      { cause }
    );
  }
}

/**
 * Half of a surrogate pair: JSON can escape it, but it is no text, and neither kernel nor model takes it.
 *
 * @throws RefineError kind `input`, naming the cell.
 */
export function requireWholeCharacters(
  path: string,
  cells: readonly NotebookCell[]
): void {
  cells.forEach(({ id: cellId, source }, index) => {
    const at = source.search(/\p{Cs}/u);
    if (at >= 0) {
      const code = source.charCodeAt(at).toString(16);
      const line = source.slice(0, at).split('\n').length;
      throw new RefineError(
        'input',
        `${path} ${cellLabel({ index, cellId })}, line ${line}: \\u${code} is half of a character (a lone surrogate). Remove it.`
      );
    }
  });
}

function isNotebook(value: unknown): value is NotebookContent {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { nbformat, cells, metadata } = value as Partial<
    Record<string, unknown>
  >;
  return (
    typeof nbformat === 'number' &&
    (nbformat !== 4 ||
      (Array.isArray(cells) &&
        typeof metadata === 'object' &&
        metadata !== null &&
        cells.every(isCell)))
  );
}

function isCell(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const cell = value as Partial<Record<string, unknown>>;
  return (
    typeof cell['cell_type'] === 'string' &&
    (typeof cell['source'] === 'string' || Array.isArray(cell['source'])) &&
    typeof cell['metadata'] === 'object' &&
    cell['metadata'] !== null
  );
}
