/** Repeats a pass in a fresh kernel, in the words of the panel. */
import { type Kernel, KernelAPI, ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CleanResult } from '../../../core/domain/outcome';
import type { RefineRequest } from '../../../core/domain/request';
import { FreshKernel } from '../../../kernel';
import { cellsAbove } from '../../../notebook/structure/cellsAbove';
import type { NotebookCell } from '../../../notebook/structure/cells';
import { cellLabel } from '../words';
import type { NotebookPanel } from '@jupyterlab/notebook';

export type CleanCheckInput = {
  readonly startKernel: () => Promise<Kernel.IKernelConnection>;
  readonly request: RefineRequest;
  readonly candidate: string;
  readonly cells: readonly NotebookCell[];
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  readonly trans: TranslationBundle;
  readonly signal: AbortSignal;
  /** What will run, as a sentence. */
  readonly onPlan: (text: string) => void;
};

/**
 * Starts a kernel of its own and stops it at the end, whatever happens.
 *
 * @throws RefineError kind `kernel` when it could not be repeated, or failed without cells that were
 * skipped; the signal's reason when aborted.
 */
export async function checkInCleanKernel(
  input: CleanCheckInput
): Promise<CleanResult> {
  const { request, candidate, cells, trans, signal, onPlan } = input;
  const at = cells.findIndex(cell => cell.id === request.target.cellId);
  const above = cellsAbove(
    cells,
    at < 0 ? request.target.index : at,
    request.language
  );
  const kernel = new FreshKernel({
    start: async () => {
      const connection = await input.startKernel();
      return {
        connection,
        shutdown: async () => {
          if (!connection.isDisposed) {
            await connection.shutdown().catch(() => undefined);
            connection.dispose();
          }
        }
      };
    },
    keyVariables: input.keyVariables
  });
  try {
    const found = await kernel.check(
      {
        request,
        candidate,
        cells: above.map(({ id, source, mayFail, skip }) => ({
          id,
          label: cellLabel(cells, id, trans),
          source,
          tolerated: mayFail,
          skip
        })),
        trans,
        onPlan
      },
      signal
    );
    return (
      found ?? {
        passed: false,
        message: trans.__('Not checked: there is no check to repeat.')
      }
    );
  } finally {
    await kernel.end();
  }
}

/**
 * Start a kernel of the same specification in the notebook's folder. Who asked
 * shuts it down; when the page goes away first, it is shut down from here.
 */
export async function startSecondKernel(
  kernels: Kernel.IManager,
  { sessionContext }: NotebookPanel
): Promise<Kernel.IKernelConnection> {
  // The server takes a path as well, whose folder is where the kernel starts.
  const options = {
    name: sessionContext.session?.kernel?.name ?? '',
    path: sessionContext.path
  };
  const kernel = await kernels.startNew(options);
  const { serverSettings } = kernels;
  const onPageHide = () => {
    // Only such a request outlives the page.
    const settings = ServerConnection.makeSettings({
      ...serverSettings,
      init: { ...serverSettings.init, keepalive: true }
    });
    KernelAPI.shutdownKernel(kernel.id, settings).catch(() => undefined);
  };
  window.addEventListener('pagehide', onPageHide);
  kernel.disposed.connect(() =>
    window.removeEventListener('pagehide', onPageHide)
  );
  return kernel;
}
