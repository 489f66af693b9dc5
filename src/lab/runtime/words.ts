/** Sentences that several parts of the interface say. */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { RefineError } from '../../core/errors';
import { SessionStop } from '../../core/session/session';
import type { NotebookCell } from '../../notebook/structure/cells';
import { findCell } from './cells/notebookEdits';

/** `cell 7`, by position from 1, as the status bar counts them. */
export function cellLabel(
  cells: Iterable<Pick<NotebookCell, 'id'>>,
  cellId: string,
  trans: TranslationBundle
): string {
  const index = [...cells].findIndex(cell => cell.id === cellId);
  return index < 0 ? trans.__('the cell') : trans.__('cell %1', index + 1);
}

/** The first of these cells with an error output, `cell 3`, and the name of that error; null when there is none. */
export function failureIn(
  panel: NotebookPanel,
  cellIds: readonly string[],
  trans: TranslationBundle
): { readonly label: string; readonly error: string } | null {
  const model = panel.isDisposed ? null : panel.content.model;
  for (const cellId of cellIds) {
    const cell = findCell(model, cellId);
    if (cell?.sharedModel.cell_type === 'code') {
      const outputs = (cell.sharedModel as ISharedCodeCell).getOutputs();
      const output = outputs.find(({ output_type }) => output_type === 'error');
      if (output) {
        const label = cellLabel(model!.cells, cellId, trans);
        return { label, error: String(output.ename) };
      }
    }
  }
  return null;
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
