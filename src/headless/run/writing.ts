/** Whether and where a refined notebook is written. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { NotebookContent } from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import { checkWritable, writeNotebook } from './notebookFile';
import type { Progress } from '../report/progress';
import { problemOf, type NotebookResult } from '../report/results';

/** @throws RefineError kind `input`, before anything is spent on a result that cannot be kept. */
export function checkOutput(
  command: RunCommand | CheckCommand,
  path: string
): void {
  if (command.command === 'check') {
    return;
  }
  if (command.output !== null) {
    const folder = dirname(resolve(command.output));
    if (!existsSync(folder)) {
      throw new RefineError(
        'input',
        `--output ${command.output}: there is no folder ${folder}.`
      );
    }
  }
  const file = fileOf(command, path);
  if (file !== null) {
    checkWritable(file);
  }
}

function fileOf(command: RunCommand, path: string): string | null {
  return command.inPlace ? path : command.output;
}

/** Writes the notebook when a target was accepted and somewhere to write to was named. */
export function write(
  command: RunCommand | CheckCommand,
  result: Omit<NotebookResult, 'written'>,
  notebook: NotebookContent,
  progress: Progress
): Pick<NotebookResult, 'written' | 'problem'> {
  const { path, targets, problem } = result;
  const nothing = { written: null, problem };
  const kept = targets.some(target => target.accepted !== null);
  if (command.command === 'check' || !kept) {
    return nothing;
  }
  const file = fileOf(command, path);
  if (file === null) {
    const changed = targets.some(({ accepted }) => accepted !== 'unchanged');
    if (changed) {
      progress.note(
        `${path}: nothing was written. Give --output FILE or --in-place to keep the result.`
      );
    }
    return nothing;
  }
  try {
    writeNotebook(file, notebook);
  } catch (error) {
    return { written: null, problem: problem ?? problemOf(error) };
  }
  progress.note(`Wrote ${file}`);
  return { written: file, problem };
}
