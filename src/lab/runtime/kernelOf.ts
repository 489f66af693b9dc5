import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { RefineError } from '../../core/errors';

/**
 * The notebook's kernel, started or chosen as when a cell is run.
 *
 * @throws RefineError kind `kernel` when there is none afterwards.
 */
export async function kernelOf(
  panel: NotebookPanel,
  dialogs: ISessionContextDialogs | null,
  trans: TranslationBundle
): Promise<Kernel.IKernelConnection> {
  const { sessionContext } = panel;
  await sessionContext.ready;
  if (sessionContext.hasNoKernel) {
    const shouldSelect = await sessionContext.startKernel();
    if (shouldSelect && dialogs) {
      await dialogs.selectKernel(sessionContext);
    }
  }
  const kernel = sessionContext.session?.kernel;
  if (!kernel || kernel.status === 'dead') {
    throw new RefineError(
      'kernel',
      trans.__(
        'This notebook has no running kernel. Start one with Kernel > Restart Kernel or Change Kernel.'
      ),
      { code: 'kernel-dead' }
    );
  }
  return kernel;
}
