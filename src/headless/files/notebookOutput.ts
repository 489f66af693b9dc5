/** Where the result for one notebook goes, what was there when the run started, and whether it is written. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { NotebookContent } from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import type { Progress } from '../report/progress';
import { problemOf, type NotebookResult } from '../report/results';
import { checkWritable, commonFolder, writeWhole } from './wholeFile';
import type { NotebookText } from './notebookText';

export class NotebookOutput {
  /**
   * @param read - the notebook as it was read.
   * @throws RefineError kind `input`, before anything is spent on a result that cannot be kept.
   */
  constructor(
    readonly file: string,
    private readonly _read: NotebookText
  ) {
    this._before = bytesOf(file);
    checkWritable(nearest(file));
  }

  /** Write what was made of the notebook that was read; where the file has changed since then, beside it. */
  write(
    after: NotebookContent,
    progress: Progress
  ): Pick<NotebookResult, 'written'> & Partial<NotebookResult> {
    const now = bytesOf(this.file);
    const isAsBefore = now === null || this._before?.equals(now) === true;
    const written = isAsBefore
      ? this.file
      : this.file.replace(/(\.ipynb)?$/, '.refined$1');
    try {
      mkdirSync(dirname(resolve(written)), { recursive: true });
      writeWhole(written, this._read.changedTo(after));
    } catch (error) {
      return { written: null, problem: problemOf(error) };
    }
    const changed = `: ${this.file} has changed meanwhile, and stays as it is.`;
    progress.note(`Wrote ${written}${isAsBefore ? '' : changed}`);
    return { written };
  }

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

/** Absolute paths of the files that no attempt of this notebook may read. */
export function filesOfChecks(
  command: RunCommand | CheckCommand,
  path: string
): readonly string[] {
  const own =
    command.command === 'run'
      ? [outputFileOf(command, path), command.record, command.replay]
      : [command.tests, command.csv];
  return [path, command.junit, command.events, ...own].flatMap(file =>
    file === null ? [] : [resolve(file)]
  );
}
