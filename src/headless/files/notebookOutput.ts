/** Where the result for one notebook goes, and what was there when the run started. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { NotebookContent } from '../../notebook';
import type { RunCommand } from '../cli/commands';
import { commonFolder } from '../server/commonFolder';
import { mergedByCell } from './merge';
import { checkWritable, realPath, writeWhole } from './notebookFile';
import { NotebookText } from './notebookText';

export class NotebookOutput {
  /**
   * @param read - the notebook as it was read.
   * @throws RefineError kind `input`, before anything is spent on a result that cannot be kept.
   */
  constructor(
    path: string,
    readonly file: string,
    private readonly _read: NotebookText
  ) {
    this._isSource = resolve(realPath(file)) === resolve(realPath(path));
    this._before = bytesOf(file);
    checkWritable(nearest(file));
  }

  /**
   * Write a notebook made from what was read; true where the file had changed and the result was merged.
   *
   * @throws RefineError kind `input` when the file has changed so that it would be overwritten.
   */
  write(after: NotebookContent): boolean {
    const now = bytesOf(this.file);
    const isAsBefore =
      now === null || this._before === null
        ? now === this._before
        : now.equals(this._before);
    if (isAsBefore) {
      mkdirSync(dirname(resolve(this.file)), { recursive: true });
      writeWhole(this.file, this._read.changedTo(after));
      return false;
    }
    if (!this._isSource || now === null) {
      throw this._refused(
        now === null ? 'it is gone' : 'its content is different'
      );
    }
    const theirs = NotebookText.read(this.file);
    const merged = mergedByCell(this._read.notebook, after, theirs.notebook);
    if ('conflict' in merged) {
      throw this._refused(merged.conflict);
    }
    writeWhole(this.file, theirs.changedTo(merged.notebook));
    return true;
  }

  private _refused(why: string): RefineError {
    return new RefineError(
      'input',
      `${this.file} changed during the run: ${why}. It was not written, so that nothing is overwritten.`
    );
  }

  private readonly _isSource: boolean;
  private readonly _before: Buffer | null;
}

/** The file for the result of a notebook; null where none was named. */
export function outputFileOf(command: RunCommand, path: string): string | null {
  const { inPlace, output, outputDir, notebooks } = command;
  if (outputDir !== null) {
    return join(outputDir, relative(commonFolder(notebooks), resolve(path)));
  }
  if (output !== null) {
    const folder = dirname(resolve(output));
    if (!existsSync(folder)) {
      throw new RefineError(
        'input',
        `--output ${output}: there is no folder ${folder}.`
      );
    }
  }
  return inPlace ? path : output;
}

/** The file, or the first folder above that would have to be created for it. */
function nearest(file: string): string {
  let path = file;
  while (!existsSync(dirname(resolve(path)))) {
    path = dirname(resolve(path));
  }
  return path;
}

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    // That it cannot be read is found out when it is written.
    return null;
  }
}
