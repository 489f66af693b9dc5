/** What is said and asked of a cell that an attempt is written into. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { namedFailure } from '../cells/failureIn';
import type { Questions } from '../questions';
import { capitalized } from '../words';

/** The user has edited the cell since: `keep` or `replace` that; null when the question goes away. */
export function askReplace(
  questions: Questions,
  label: string,
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<string | null> {
  return questions.ask(
    {
      subject: 'target-changed',
      title: trans.__('%1 was edited during the session', capitalized(label)),
      body: trans.__('Your edit was not overwritten.'),
      choices: [
        { id: 'keep', label: trans.__('Keep my edit') },
        { id: 'replace', label: trans.__('Replace my edit') }
      ]
    },
    signal
  );
}

export function insertedMessage(
  how: {
    readonly isText: boolean;
    /** The debugger has stopped the kernel. */
    readonly isPaused: boolean;
    readonly partly: boolean;
  },
  label: string,
  trans: TranslationBundle
): string {
  if (how.isText) {
    return trans.__('Written to %1. A text cell is not run.', label);
  }
  if (how.isPaused) {
    return trans.__(
      'Written to %1. It runs when the debugger has let the kernel go on and you run it.',
      label
    );
  }
  return how.partly
    ? trans.__('The accepted parts were written to %1, not run.', label)
    : trans.__('Written to %1, not run.', label);
}

/** What failed in the notebook although the attempt passed. */
export function failedMessage(
  panel: NotebookPanel,
  label: string,
  cellIds: readonly string[],
  trans: TranslationBundle
): string {
  const failure = namedFailure(panel, cellIds, trans);
  return failure === null
    ? trans.__('Written to %1, but a cell failed in the notebook.', label)
    : trans.__(
        'Written to %1, but %2 failed in the notebook: %3',
        label,
        failure.label,
        failure.error
      );
}
