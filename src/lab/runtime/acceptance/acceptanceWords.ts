/** What is said and asked of a cell that an attempt is written into. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { namedFailure } from '../cells/failureIn';
import type { Questions } from '../questions';
import { capitalized } from '../words';
import type { ProposedSource } from './proposedSource';

/**
 * The user has edited the cell since: `keep` or `replace` that; null when the question goes away.
 *
 * @param edited - what the attempt would replace; whether the session is for chosen lines.
 */
export function askReplace(
  questions: Questions,
  label: string,
  edited: {
    readonly replaces: ProposedSource['replaces'];
    readonly isPart: boolean;
  },
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<string | null> {
  return questions.ask(
    {
      subject: 'target-changed',
      title: trans.__('%1 was edited during the session', capitalized(label)),
      body: replaceBody(edited, trans),
      choices: [
        { id: 'keep', label: trans.__('Keep my edit') },
        { id: 'replace', label: trans.__('Replace my edit') }
      ]
    },
    signal
  );
}

function replaceBody(
  { replaces, isPart }: Parameters<typeof askReplace>[2],
  trans: TranslationBundle
): string {
  if (replaces === 'lines') {
    return trans.__(
      'You edited the lines that are refined. Only those would be replaced; the rest of the cell stays as it is now.'
    );
  }
  return isPart
    ? trans.__(
        'The lines to refine are no longer in the cell. The attempt would replace all of it, your other edits too.'
      )
    : trans.__('Your edit was not overwritten.');
}

export type HowInserted = {
  readonly isText: boolean;
  /** The debugger has stopped the kernel. */
  readonly isPaused: boolean;
  /** The user has run the cell since. */
  readonly hasRun: boolean;
  readonly partly: boolean;
  /** Edits outside of the refined lines were left as they are. */
  readonly keepsEdits: boolean;
};

/** Of an attempt that was written and not run by us. */
export function insertedMessage(
  how: HowInserted,
  label: string,
  trans: TranslationBundle
): string {
  if (how.isText) {
    return trans.__('Written to %1. A text cell is not run.', label);
  }
  if (how.hasRun) {
    return how.partly
      ? trans.__(
          'The accepted parts were written to %1. You have run it since.',
          label
        )
      : trans.__('Written to %1. You have run it since.', label);
  }
  if (how.isPaused) {
    return trans.__(
      'Written to %1, not run. Continue in the debugger, then run the cell.',
      label
    );
  }
  if (how.keepsEdits) {
    return trans.__(
      'Written to %1, not run. Your edits of other lines were kept; no attempt has run with them.',
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

/** @param edited - Restore has replaced an edit of the user's. */
export function restoredMessage(
  edited: boolean,
  label: string,
  trans: TranslationBundle
): string {
  const cell = capitalized(label);
  return edited
    ? trans.__('%1 restored. Undo in the cell brings your edit back.', cell)
    : trans.__('%1 restored.', cell);
}
