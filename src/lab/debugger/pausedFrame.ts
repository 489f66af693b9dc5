/** From JupyterLab's debugger to the cell and the frame in which it has stopped the kernel. */
import type { IDebugger } from '@jupyterlab/debugger';
import type { ICellModel } from '@jupyterlab/cells';
import type { PausedFrame } from '../../core/domain/executor';

type PausedCell = {
  readonly cellId: string;
  readonly frame: PausedFrame;
  /** Name of its function, and the line, from 1, where it stopped. */
  readonly name: string;
  readonly line: number;
};

/**
 * The cell of the selected frame, or of the nearest caller that is in a cell;
 * null when the debugger has stopped nothing of this notebook.
 */
export function pausedCell(
  service: IDebugger,
  cells: Iterable<ICellModel>
): PausedCell | null {
  const { session, model } = service;
  const { callstack, variables } = model;
  const selected = callstack.frame ?? callstack.frames[0];
  if (!session?.isStarted || !service.hasStoppedThreads() || !selected) {
    return null;
  }
  const cellIds = new Map(
    [...cells]
      .filter(({ type }) => type === 'code')
      .map(cell => [service.getCodeId(cell.sharedModel.getSource()), cell.id])
  );
  const { frames } = callstack;
  const found = frames
    .slice(
      Math.max(
        0,
        frames.findIndex(frame => frame.id === selected.id)
      )
    )
    .find(({ source }) => cellIds.has(source?.path ?? ''));
  const cellId = cellIds.get(found?.source?.path ?? '');
  if (!found || cellId === undefined) {
    return null;
  }
  const { id, name, line } = found;
  const isPaused = () =>
    session.isStarted &&
    service.hasStoppedThreads() &&
    callstack.frames.some(frame => frame.id === id);
  const scope =
    id === callstack.frame?.id
      ? (variables.scopes.find(({ name }) => /^locals/i.test(name)) ??
        variables.scopes[0])
      : undefined;
  return {
    cellId,
    name,
    line,
    frame: {
      names: (scope?.variables ?? [])
        .map(({ name }) => name)
        .filter(name => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('__')),
      isPaused,
      evaluate: async expression => {
        const reply = await session.sendRequest('evaluate', {
          expression,
          frameId: id,
          // Others cut long values.
          context: 'clipboard'
        });
        if (!reply.success) {
          throw new Error(reply.message);
        }
        return reply.body.result;
      }
    }
  };
}
