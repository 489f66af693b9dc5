/**
 * A notebook as it stands on disk: its value, and its text, of which only cells that change are written anew;
 * where the result goes, what was there when the run started, and which files no attempt may read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type JSONPath } from 'jsonc-parser';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import {
  cellIds,
  cellsFromNotebook,
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

/** A text of JSON, or what Python writes beside it: it is read as null. */
const NOT_JSON = /("(?:[^"\\]|\\[^])*")|NaN|-?Infinity/g;

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
      value = JSON.parse(
        text
          .replace(/^\uFEFF/, '')
          .replace(NOT_JSON, (_, quoted?: string) => quoted ?? 'null')
      );
    } catch (cause) {
      throw problem(` is not a notebook: ${String(cause)}`, cause);
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
    let text = this._text.slice(mark.length);
    const [, unit] = /\n([ \t]+)"/.exec(text) ?? [];
    const formattingOptions = unit && {
      insertSpaces: unit.startsWith(' '),
      tabSize: unit.startsWith(' ') ? unit.length : 1,
      eol: text.includes('\r\n') ? '\r\n' : '\n'
    };
    const set = (path: JSONPath, value: unknown, isArrayInsertion = false) => {
      const edits = modify(text, path, value, {
        isArrayInsertion,
        ...(formattingOptions ? { formattingOptions } : {})
      });
      text = applyEdits(text, edits);
    };
    const before = cellIds(notebook);
    const isSame = after.cells.length === before.length;
    cellIds(after).forEach((id, at) => {
      const from = isSame ? at : before.indexOf(id);
      const cell = after.cells[at];
      if (!isDeepStrictEqual(notebook.cells[from], cell)) {
        set(['cells', at], cell, from < 0);
      }
    });
    if (after.nbformat_minor !== notebook.nbformat_minor) {
      set(['nbformat_minor'], after.nbformat_minor);
    }
    return mark + text;
  }
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
