/**
 * A notebook as it stands on disk: its value, and its text, of which only cells that change are written anew;
 * where the result goes, what was there when the run started, and which files no attempt may read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
    const { plain, spans } = scanned(text);
    let value: unknown;
    try {
      value = JSON.parse(plain.replace(/^\uFEFF/, ''));
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
    return new NotebookText(text, spans, notebook);
  }

  private constructor(
    /** With its byte order mark. */
    private readonly _text: string,
    private readonly _spans: readonly Span[],
    readonly notebook: NotebookContent
  ) {}

  /** The text of `after`, a notebook made from this one: cells may have changed, and some been added. */
  changedTo(after: NotebookContent): string {
    const { _text: text, _spans: spans, notebook } = this;
    const head = text.slice(0, spans[0]?.[0]);
    const tail = text.slice(spans.at(-1)?.[1]);
    const space = /\s*$/.exec(head.slice(-200))![0];
    const before = cellIds(notebook);
    const isSame = after.cells.length === before.length;
    let cells = '';
    let last = -1;
    cellIds(after).forEach((id, at) => {
      const from = isSame ? at : before.indexOf(id);
      if (at > 0) {
        cells +=
          from === last + 1
            ? text.slice(spans[last]![1], spans[from]![0])
            : `,${space}`;
      }
      const cell = after.cells[at]!;
      cells += isDeepStrictEqual(notebook.cells[from], cell)
        ? text.slice(...spans[from]!)
        : formatted(cell, space);
      last = from < 0 ? last : from;
    });
    const minor = (part: string) =>
      after.nbformat_minor === notebook.nbformat_minor
        ? part
        : part.replace(
            /("nbformat_minor"\s*:\s*)\d+/,
            `$1${after.nbformat_minor}`
          );
    return minor(head) + cells + minor(tail);
  }
}

/** Start and end in a text. */
type Span = readonly [number, number];

const CELLS = '"cells"';

/**
 * Where the cells of a notebook stand in its text, and the text as JSON: Python writes `NaN` and
 * `Infinity` as well, which are read as null.
 */
function scanned(text: string): {
  readonly spans: readonly Span[];
  readonly plain: string;
} {
  const spans: Span[] = [];
  let plain = '';
  let taken = 0;
  let depth = 0;
  let isText = false;
  let key = '';
  let start = 0;
  let isCells = false;
  const tokens = text.matchAll(/\\[^]|["{}[\]]|NaN|-?Infinity/g);
  for (const { 0: what, index } of tokens) {
    if (what === '"') {
      isText = !isText;
      if (isText && depth === 1) {
        key = text.slice(index, index + CELLS.length);
      }
    } else if (isText) {
      continue;
    } else if (what === '{' || what === '[') {
      start = depth === 2 ? index : start;
      depth++;
      isCells = depth === 2 ? what === '[' && key === CELLS : isCells;
    } else if (what === '}' || what === ']') {
      depth--;
      if (depth === 2 && isCells) {
        spans.push([start, index + 1]);
      }
    } else {
      plain += `${text.slice(taken, index)}null`;
      taken = index + what.length;
    }
  }
  return { spans, plain: plain + text.slice(taken) };
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
