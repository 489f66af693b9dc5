/** Sentences that several parts of the interface say. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { RefineError } from '../../core/errors';
import { SessionStop } from '../../core/session/session';
import type { NotebookCell } from '../../notebook/structure/cells';

/** `cell 7`, by position from 1, as the status bar counts them. */
export function cellLabel(
  cells: readonly Pick<NotebookCell, 'id'>[],
  cellId: string,
  trans: TranslationBundle
): string {
  const index = cells.findIndex(cell => cell.id === cellId);
  return index < 0 ? trans.__('the cell') : trans.__('cell %1', index + 1);
}

/** For the start of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why a session ended before there was anything to report. */
export function stoppedSentence(
  reason: unknown,
  trans: TranslationBundle
): string {
  return reason instanceof SessionStop && reason.reason === 'target-changed'
    ? trans.__('The cell was deleted before anything ran.')
    : trans.__('Stopped before anything ran.');
}

/** A thrown thing as one sentence; never a stack trace. */
export function errorSentence(
  reason: unknown,
  trans: TranslationBundle
): string {
  if (reason instanceof RefineError) {
    return reason.message;
  }
  if (reason instanceof Error && reason.message) {
    return trans.__('Something went wrong: %1', firstLine(reason.message));
  }
  return trans.__('Something went wrong.');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line;
}
