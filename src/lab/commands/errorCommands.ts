/** Commands on the error that a cell shows. */
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { enabled, type CommandPorts } from './enablement';
import { showsError, isCodeCell } from '../errorOutput';
import { fixIcon } from '../icons';
import { CommandIDs } from '../ids';
import { selectionIn, wholeLines } from './selectionCommands';
import type { ICellModel } from '@jupyterlab/cells';

type FailedCell = { readonly path: string; readonly cellId: string };

/**
 * The cell that the arguments name or the context menu was opened on; else the
 * active cell when it shows an error, else the one that failed last.
 */
function failedCell(
  { app, tracker }: CommandPorts,
  args: ReadonlyPartialJSONObject
): FailedCell | null {
  const panel = tracker.currentWidget;
  const cells = [...(panel?.content.model?.cells ?? [])];
  const clicked = args.inContextMenu
    ? app.contextMenuHitTest(node => node.classList.contains('jp-Cell'))
    : undefined;
  const named = clicked
    ? panel?.content.widgets.find(({ node }) => node === clicked)?.model.id
    : args.cellId;
  const cell =
    named === undefined
      ? panel?.content.activeCell?.model
      : cells.find(({ id }) => id === named);
  const cellId =
    cell && showsError(cell)
      ? cell.id
      : named === undefined
        ? lastFailure(cells)
        : null;
  return panel && cellId ? { path: panel.context.path, cellId } : null;
}

/** Fix Error and Explain Error. */
export function errorCommands(
  ports: CommandPorts
): Readonly<Record<string, CommandRegistry.ICommandOptions>> {
  const { manager, trans, showPanel, context } = ports;
  const describedBy = {
    args: {
      type: 'object' as const,
      properties: {
        cellId: {
          type: 'string' as const,
          description: trans.__(
            'Default: the active cell if it failed, else the cell that failed last.'
          )
        },
        inContextMenu: {
          type: 'boolean' as const,
          description: trans.__('The cell that the context menu is for.')
        }
      }
    }
  };
  const onFailed = (
    act: (cell: FailedCell) => Promise<void>
  ): CommandRegistry.ICommandOptions => ({
    describedBy,
    // Warnings look like errors to a selector.
    isVisible: args => !args.inContextMenu || failedCell(ports, args) !== null,
    isEnabled: args =>
      enabled.refineError(context()) && failedCell(ports, args) !== null,
    execute: async args => {
      const cell = failedCell(ports, args);
      if (cell) {
        showPanel();
        await act(cell);
      }
    }
  });
  return {
    [CommandIDs.refineError]: {
      ...onFailed(cell => {
        const part = selectionIn(ports.tracker, wholeLines, cell.cellId);
        return manager.refine({ ...cell, repair: true, ...(part && { part }) });
      }),
      label: trans.__('Fix Error'),
      caption: trans.__(
        'Fix the error of this cell, or of the cell that failed last'
      ),
      icon: fixIcon
    },
    [CommandIDs.explainError]: {
      ...onFailed(cell => manager.explainError(cell)),
      label: trans.__('Explain Error'),
      caption: trans.__(
        'Explain the error of this cell in words; nothing is run or changed'
      )
    }
  };
}

/** Id of the cell with the highest execution count that shows an error; null when no cell does. */
function lastFailure(cells: Iterable<ICellModel>): string | null {
  let last: { readonly count: number; readonly cellId: string } | null = null;
  for (const cell of cells) {
    const count = isCodeCell(cell) ? (cell.executionCount ?? 0) : 0;
    if ((!last || count > last.count) && showsError(cell)) {
      last = { count, cellId: cell.id };
    }
  }
  return last?.cellId ?? null;
}
