/** From JupyterLab's debugger to the cell and the frame in which it has stopped the kernel. */
import type { IDebugger } from '@jupyterlab/debugger';
import type { ICellModel } from '@jupyterlab/cells';
import type { PausedFrame } from '../../core/domain/executor';

/** Frames of the call stack that are described; the innermost come first. */
const MAX_FRAMES = 10;

export type PausedCell = {
  readonly cellId: string;
  readonly frame: PausedFrame;
  /** Innermost first: function, line from 1, position of its cell from 1, or null outside of the notebook. */
  readonly stack: readonly {
    readonly name: string;
    readonly line: number;
    readonly cell: number | null;
  }[];
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
  const code = [...cells].map((cell, index) => ({
    cellId: cell.id,
    position: index + 1,
    path:
      cell.type === 'code'
        ? service.getCodeId(cell.sharedModel.getSource())
        : null
  }));
  const { frames } = callstack;
  const callers = frames.slice(
    Math.max(
      0,
      frames.findIndex(frame => frame.id === selected.id)
    )
  );
  const placed = callers.map(frame => ({
    frame,
    cell: code.find(({ path }) => path !== null && path === frame.source?.path)
  }));
  const found = placed.find(({ cell }) => cell !== undefined);
  if (!found?.cell) {
    return null;
  }
  const { id } = found.frame;
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
    cellId: found.cell.cellId,
    stack: placed.slice(0, MAX_FRAMES).map(({ frame, cell }) => ({
      name: frame.name,
      line: frame.line,
      cell: cell?.position ?? null
    })),
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
