/** How far attempts would be isolated in a notebook's kernel, asked once for each kernel process. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { Isolation } from '../../core/domain/execution';
import { probeIsolation } from '../../kernel';

export class IsolationProbe implements IDisposable {
  /** @param onChange called when the result of {@link of} may have changed. */
  constructor(private readonly onChange: () => void) {}

  get isDisposed(): boolean {
    return this.closing.signal.aborted;
  }

  /** What is known of the notebook's kernel; null while it is asked or there is none. */
  of(panel: NotebookPanel | null): Isolation | null {
    const kernel =
      panel && !panel.isDisposed ? panel.sessionContext.session?.kernel : null;
    return (kernel && this.known.get(kernel)) ?? null;
  }

  /** Ask the notebook's kernel, and again after a restart or a change; a busy kernel answers later. */
  follow(panel: NotebookPanel): void {
    if (this.followed.has(panel) || this.isDisposed) {
      return;
    }
    this.followed.add(panel);
    const ask = () => {
      const kernel = panel.isDisposed
        ? null
        : panel.sessionContext.session?.kernel;
      if (kernel) {
        void this.ask(kernel);
      }
    };
    panel.sessionContext.kernelChanged.connect(ask, this);
    void panel.sessionContext.ready.then(ask);
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.closing.abort();
      Signal.disconnectReceiver(this);
    }
  }

  private async ask(kernel: Kernel.IKernelConnection): Promise<void> {
    if (this.asked.has(kernel) || this.isDisposed) {
      return;
    }
    this.asked.add(kernel);
    kernel.statusChanged.connect(this.onStatus, this);
    try {
      this.known.set(kernel, await probeIsolation(kernel, this.closing.signal));
      this.onChange();
    } catch {
      // The kernel is gone or does not speak to us: a session will say why, when one is started.
    }
  }

  /** A restarted kernel is another process: what was known is void, and it is asked once it is idle. */
  private onStatus(kernel: Kernel.IKernelConnection): void {
    if (/restarting|dead/.test(kernel.status)) {
      this.known.delete(kernel);
      this.asked.delete(kernel);
      this.onChange();
    } else if (kernel.status === 'idle') {
      void this.ask(kernel);
    }
  }

  private readonly known = new WeakMap<Kernel.IKernelConnection, Isolation>();
  private readonly asked = new WeakSet<Kernel.IKernelConnection>();
  private readonly followed = new WeakSet<NotebookPanel>();
  private readonly closing = new AbortController();
}
