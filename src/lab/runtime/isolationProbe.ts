/** How far attempts would be isolated in the active notebook's kernel, asked once for each kernel process. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { Isolation } from '../../core/execution';
import { probeIsolation } from '../../kernel';

export class IsolationProbe {
  /** @param onChange called when {@link of} may tell something else. */
  constructor(private readonly onChange: () => void) {}

  /** What is known of the notebook's kernel; null while it is asked or there is none. */
  of(panel: NotebookPanel | null): Isolation | null {
    const kernel =
      panel && !panel.isDisposed ? panel.sessionContext.session?.kernel : null;
    return (kernel && this.known.get(kernel)) ?? null;
  }

  /** Ask the notebook's kernel unless that is done or under way; a busy kernel answers later. */
  async ask(panel: NotebookPanel): Promise<void> {
    await panel.sessionContext.ready;
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel || this.asked.has(kernel) || panel.isDisposed) {
      return;
    }
    const abort = new AbortController();
    this.asked.add(kernel);
    const forget = () => {
      abort.abort();
      this.asked.delete(kernel);
      this.known.delete(kernel);
      this.onChange();
    };
    const onStatus = () => {
      if (/restarting|dead|terminating/.test(kernel.status)) {
        kernel.statusChanged.disconnect(onStatus);
        forget();
      }
    };
    kernel.statusChanged.connect(onStatus);
    try {
      this.known.set(kernel, await probeIsolation(kernel, abort.signal));
      this.onChange();
    } catch {
      // The kernel is gone or does not speak to us: a session will say why, when one is started.
      this.asked.delete(kernel);
    }
  }

  private readonly known = new WeakMap<Kernel.IKernelConnection, Isolation>();
  private readonly asked = new WeakSet<Kernel.IKernelConnection>();
}
