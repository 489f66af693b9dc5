/** Whether a refined notebook is written. */
import type { NotebookContent } from '../../notebook';
import type { Progress } from '../report/progress';
import { problemOf, type NotebookResult } from '../report/results';
import type { NotebookOutput } from './notebookOutput';

/**
 * Writes the notebook when a target was accepted and somewhere to write to was named.
 *
 * @param output - null: nowhere.
 */
export function write(
  output: NotebookOutput | null,
  result: Omit<NotebookResult, 'written'>,
  notebook: NotebookContent,
  progress: Progress
): Pick<NotebookResult, 'written' | 'problem'> {
  const { path, targets, problem } = result;
  const nothing = { written: null, problem };
  if (targets.every(target => target.accepted === null)) {
    return nothing;
  }
  if (output === null) {
    const changed = targets.some(({ accepted }) => accepted !== 'unchanged');
    if (changed) {
      progress.note(
        `${path}: nothing was written. Give --output FILE or --in-place to keep the result.`
      );
    }
    return nothing;
  }
  const { file } = output;
  try {
    const isMerged = output.write(notebook);
    const merged = isMerged
      ? ', which had changed meanwhile: the refined cells were merged into it.'
      : '';
    progress.note(`Wrote ${file}${merged}`);
    return { written: file, problem };
  } catch (error) {
    return { written: null, problem: problem ?? problemOf(error) };
  }
}
