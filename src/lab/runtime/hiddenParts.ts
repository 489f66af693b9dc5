/** What an attempt must not see of its notebook: the file, and the names that only hold-outs define. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { ExecutionJob, IExecutor } from '../../core/executor';
import type { RefineRequest } from '../../core/request';
import { analyse } from '../../notebook/analysis';
import type { NotebookCell } from '../../notebook/cells';
import { notebookCells } from '../notebookCells';

export type HiddenParts = Required<
  Pick<ExecutionJob, 'notebookPath' | 'hiddenNames'>
>;

export function hiddenParts(
  { assertions, holdouts, language, path }: RefineRequest,
  cells: readonly NotebookCell[]
): HiddenParts {
  const holding = new Set(holdouts.map(check => check.cellId));
  const seen = [
    ...cells.filter(cell => cell.type === 'code' && !holding.has(cell.id)),
    // The part of such a cell that is no hold-out.
    ...assertions.filter(check => holding.has(check.cellId))
  ];
  const bound = (sources: readonly { readonly source: string }[]) =>
    sources.flatMap(({ source }) => [...analyse(source, language).binds]);
  const known = new Set(holding.size > 0 ? bound(seen) : []);
  return {
    notebookPath: path,
    hiddenNames: [...new Set(bound(holdouts))].filter(name => !known.has(name))
  };
}

/** The executor with these parts in every job. */
export function hiding(executor: IExecutor, parts: HiddenParts): IExecutor {
  return {
    prepare: signal => executor.prepare(signal),
    inspect: (names, values, signal) => executor.inspect(names, values, signal),
    warm: job => executor.warm?.(job) ?? Promise.resolve(false),
    run: (job, onProgress, signal) =>
      executor.run({ ...job, ...parts }, onProgress, signal)
  };
}

/** The same for a request of an open notebook. */
export function hidingParts(
  executor: IExecutor,
  request: RefineRequest,
  { content: { model } }: NotebookPanel
): IExecutor {
  const cells = model ? notebookCells(model) : [];
  return hiding(executor, hiddenParts(request, cells));
}
