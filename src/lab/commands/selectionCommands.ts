/** Refine Selection: the selected lines of the active cell. */
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { Part } from '../../core/part/part';
import { refineIcon } from '../icons';
import { CommandIDs } from '../ids';
import { enabled, type CommandPorts } from './enablement';

/** Where a selection starts and ends; lines and columns from 0. */
type Range = Pick<CodeEditor.IRange, 'start' | 'end'>;

/** The lines of a source that a selection touches; null where it holds nothing. */
export function choiceOf(source: string, range: Range): Part | null {
  const lines = source.split('\n');
  const [start, end] = [range.start, range.end].sort(
    (a, b) => a.line - b.line || a.column - b.column
  ) as [CodeEditor.IPosition, CodeEditor.IPosition];
  if (start.line === end.line && start.column === end.column) {
    return null;
  }
  // Nothing of the line behind a line break is selected.
  const last = end.column === 0 ? end.line - 1 : end.line;
  return lines.slice(start.line, last + 1).some(line => line.trim() !== '')
    ? { first: start.line + 1, last: last + 1 }
    : null;
}

/** The selected lines, where all that one of them holds is selected: a word that was double-clicked is none. */
export function wholeLines(source: string, range: Range): Part | null {
  const choice = choiceOf(source, range);
  if (!choice) {
    return null;
  }
  const { first, last } = choice;
  const line = source.split('\n')[first - 1] ?? '';
  const columns = [range.start.column, range.end.column];
  const whole =
    Math.min(...columns) <= line.length - line.trimStart().length &&
    Math.max(...columns) >= line.trimEnd().length;
  return range.start.line !== range.end.line || last > first || whole
    ? choice
    : null;
}

/** What is selected in a cell of the active notebook; null unless it is the active code cell. */
export function selectionIn(
  tracker: INotebookTracker,
  read: (source: string, range: Range) => Part | null,
  cellId?: string
): Part | null {
  const cell = tracker.currentWidget && tracker.activeCell;
  const editor = cell?.editor;
  return editor &&
    cell.model.type === 'code' &&
    (cellId === undefined || cellId === cell.model.id)
    ? read(cell.model.sharedModel.getSource(), editor.getSelection())
    : null;
}

export function selectionCommands(
  ports: CommandPorts
): Readonly<Record<string, CommandRegistry.ICommandOptions>> {
  const { manager, tracker, trans, showPanel, context } = ports;
  return {
    [CommandIDs.refineSelection]: {
      label: trans.__('Refine Selection'),
      caption: trans.__(
        'Refine the selected lines; the rest of the cell stays as it is'
      ),
      icon: refineIcon,
      isEnabled: () =>
        enabled.refine(context()) && selectionIn(tracker, choiceOf) !== null,
      execute: async () => {
        const part = selectionIn(tracker, choiceOf);
        const panel = tracker.currentWidget;
        const cellId = panel?.content.activeCell?.model.id;
        if (part && panel && cellId) {
          showPanel();
          await manager.refine({ path: panel.context.path, cellId, part });
        }
      }
    }
  };
}
