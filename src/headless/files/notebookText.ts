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
    const missing = missingPart(root.value);
    if (missing !== null) {
      throw new RefineError('input', `${path} is not a notebook: ${missing}.`);
    }
    const notebook = root.value as NotebookContent;
    try {
      cellsFromNotebook(notebook);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new RefineError('input', `${path}: ${message}`, { cause });
    }
    return new NotebookText(text, root, notebook);
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

/** What a value lacks to be a notebook, as a clause; null for a notebook, also of another nbformat. */
function missingPart(value: unknown): string | null {
  const { nbformat, cells, metadata } = fieldsOf(value);
  if (typeof nbformat !== 'number') {
    return Array.isArray(cells)
      ? 'it has no nbformat'
      : 'it has no nbformat and no cells';
  }
  if (nbformat !== 4) {
    return null;
  }
  if (!Array.isArray(cells)) {
    return 'it has no cells';
  }
  if (!isObject(metadata)) {
    return 'it has no metadata (an object, which may be empty)';
  }
  for (const [index, cell] of cells.entries()) {
    const { cell_type: type, source, ...rest } = fieldsOf(cell);
    const missing =
      typeof type !== 'string'
        ? 'cell_type'
        : typeof source !== 'string' && !Array.isArray(source)
          ? 'source'
          : !isObject(rest['metadata'])
            ? 'metadata'
            : null;
    if (missing !== null) {
      return `cell ${index} has no ${missing}`;
    }
  }
  return null;
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
