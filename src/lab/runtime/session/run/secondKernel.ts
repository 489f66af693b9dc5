/** A second kernel, to repeat a pass in. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { KernelAPI, ServerConnection, type Kernel } from '@jupyterlab/services';

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
