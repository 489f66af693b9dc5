/**
 * A notebook as it stands on disk: its value, and its text, of which only cells that change are written anew;
 * where the result goes, what was there when the run started, and which files no attempt may read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, findNodeAtLocation, parseTree } from 'jsonc-parser';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import {
  cellIds,
  cellsFromNotebook,
  type CellContent,
  type NotebookContent
} from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
import type { Progress } from '../report/progress';
import {
  checkWritable,
  commonFolder,
  fileProblem,
  writeWhole
} from './wholeFile';

const cellSchema = z.looseObject({
  cell_type: z.string(),
  source: z.string().or(z.array(z.string())),
  metadata: z.looseObject({})
});
/** Of another nbformat nothing is required: what reads it says that it cannot. */
const notebookSchema = z.discriminatedUnion('nbformat', [
  z.looseObject({
    nbformat: z.literal(4),
    metadata: z.looseObject({}),
    cells: z.array(cellSchema)
  }),
  z.looseObject({ nbformat: z.literal([1, 2, 3, 5]) })
]);

/** The text as JSON: Python writes `NaN` and `Infinity` as well, which are read as null. */
function plain(text: string): string {
  let isText = false;
  // A pattern for a whole text would overflow the stack at an embedded video.
  return text.replace(/\\[^]|"|NaN|-?Infinity/g, found => {
    isText = isText !== (found === '"');
    return isText || /["\\]/.test(found) ? found : 'null';
  });
}

export class NotebookText {
  /** @throws RefineError kind `input`, naming the file. */
  static read(path: string): NotebookText {
    const problem = (why: string, cause?: unknown) =>
      new RefineError('input', `${path}${why}`, { cause });
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (cause) {
      throw problem(`: ${fileProblem(cause)}`, cause);
    }
    let text: string;
    try {
      const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      text = utf8.decode(bytes);
    } catch (cause) {
      // It could not be written again as it was.
      throw problem(
        ' is not valid UTF-8. Convert it, for example with iconv.',
        cause
      );
    }
    let value: unknown;
    try {
      value = JSON.parse(plain(text.replace(/^\uFEFF/, '')));
    } catch (cause) {
      throw problem(
        /\.(?:py|jl|R|Rmd|md|qmd)$/i.test(path)
          ? ' is not a notebook. Make one of it: jupytext --to ipynb FILE'
          : ` is not a notebook: ${String(cause)}`,
        cause
      );
    }
    const [wrong] = notebookSchema.safeParse(value).error?.issues ?? [];
    if (wrong) {
      const { path: place, message } = wrong;
      throw problem(
        ` is not a notebook: ${[place.join('.'), message].filter(Boolean).join(': ')}.`
      );
    }
    const notebook = value as NotebookContent;
    try {
      cellsFromNotebook(notebook);
    } catch (cause) {
      throw problem(`: ${(cause as Error).message}`, cause);
    }
    return new NotebookText(text, notebook);
  }

  private constructor(
    /** With its byte order mark. */
    private readonly _text: string,
    readonly notebook: NotebookContent
  ) {}

  /** The text of `after`, a notebook made from this one: cells may have changed, and some been added. */
  changedTo(after: NotebookContent): string {
    const { notebook } = this;
    const [mark] = /^\uFEFF?/.exec(this._text)!;
    const text = this._text.slice(mark.length);
    // Read once: an embedded video makes the text long.
    const root = parseTree(text)!;
    const { children = [] } = findNodeAtLocation(root, ['cells'])!;
    const [space] = /\s*$/.exec(
      text.slice(0, children[0]?.offset).slice(-200)
    )!;
    const before = cellIds(notebook);
    const isSame = after.cells.length === before.length;
    let end = 0;
    const edits = cellIds(after).flatMap((id, at) => {
      const from = isSame ? at : before.indexOf(id);
      const { offset = end, length = 0 } = children[from] ?? {};
      end = offset + length;
      const cell = after.cells[at]!;
      if (isDeepStrictEqual(notebook.cells[from], cell)) {
        return [];
      }
      const content = (from < 0 ? `,${space}` : '') + formatted(cell, space);
      return [{ offset, length, content }];
    });
    if (after.nbformat_minor !== notebook.nbformat_minor) {
      const { offset, length } = findNodeAtLocation(root, ['nbformat_minor'])!;
      edits.push({ offset, length, content: String(after.nbformat_minor) });
    }
    return mark + applyEdits(text, edits);
  }
}

/** A cell in the layout of its notebook. @param space - before a cell. */
function formatted(cell: CellContent, space: string): string {
  if (!space.includes('\n')) {
    return JSON.stringify(cell);
  }
  const indent = space.slice(space.lastIndexOf('\n') + 1);
  const unit = indent.slice(0, indent.length / 2);
  const end = space.includes('\r') ? '\r\n' : '\n';
  return JSON.stringify(cell, null, unit || 1).replace(/\n/g, end + indent);
}

export class NotebookOutput {
  /**
   * @param read - the notebook as it was read.
   * @throws RefineError kind `input`, before anything is spent on a result that cannot be kept.
   */
  constructor(
    readonly file: string,
    private readonly _read: NotebookText
  ) {
    checkWritable(file);
    this._before = bytesOf(file);
  }

  /**
   * Write what was made of the notebook that was read; where the file has changed since then, beside it.
   *
   * @returns the file that was written.
   * @throws RefineError kind `input`, naming the file.
   */
  write(after: NotebookContent, progress: Progress): string {
    const now = bytesOf(this.file);
    const isAsBefore = now === null || this._before?.equals(now) === true;
    const written = isAsBefore
      ? this.file
      : this.file.replace(/(\.ipynb)?$/, '.refined$1');
    writeWhole(written, this._read.changedTo(after));
    const changed = `: ${this.file} has changed meanwhile, and stays as it is.`;
    progress.note(`Wrote ${written}${isAsBefore ? '' : changed}`);
    return written;
  }

  private readonly _before: Buffer | null;
}

/** The file for the result of a notebook; null where none was named. */
export function outputFileOf(
  { inPlace, output, outputDir, notebooks }: NotebookCommand,
  path: string
): string | null {
  return outputDir !== null
    ? join(outputDir, relative(commonFolder(notebooks), resolve(path)))
    : inPlace
      ? path
      : output;
}

function bytesOf(file: string): Buffer | null {
  return existsSync(file) ? readFileSync(file) : null;
}

/** Absolute paths of the files that no attempt of this notebook may read. */
export function filesOfChecks(
  command: NotebookCommand,
  path: string
): readonly string[] {
  const { record, replay, tests, csv, junit, events } = command;
  const output = outputFileOf(command, path);
  return [path, output, record, replay, tests, csv, junit, events].flatMap(
    file => (file === null ? [] : [resolve(file)])
  );
}
