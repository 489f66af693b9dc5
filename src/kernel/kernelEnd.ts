/** Tells when the process behind a kernel connection is gone. */
import type { Kernel } from '@jupyterlab/services';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

export type KernelEnd = 'kernel-restarted' | 'kernel-died';

export const KERNEL_END_MESSAGES: Readonly<Record<KernelEnd, string>> = {
  'kernel-restarted':
    'The kernel was restarted, so its variables are gone. Run the cells above again, then refine.',
  'kernel-died':
    'The kernel died, so its variables are gone. Start it again, run the cells above, then refine.'
};

/**
 * Call `onEnd` once when the kernel's process ends: restarted (also by another
 * client), died, shut down, or its connection was disposed.
 */
export function watchKernelEnd(
  kernel: Kernel.IKernelConnection,
  onEnd: (end: KernelEnd) => void
): IDisposable {
  const end = (how: KernelEnd) => {
    watch.dispose();
    onEnd(how);
  };
  const onStatus = (_: unknown, status: Kernel.Status) => {
    switch (status) {
      case 'restarting':
      case 'starting':
        end('kernel-restarted');
        break;
      case 'autorestarting':
      case 'terminating':
      case 'dead':
        end('kernel-died');
        break;
      case 'unknown':
      case 'idle':
      case 'busy':
        break;
    }
  };
  const onDisposed = () => end('kernel-died');
  kernel.statusChanged.connect(onStatus);
  kernel.disposed.connect(onDisposed);
  const watch = new DisposableDelegate(() => {
    kernel.statusChanged.disconnect(onStatus);
    kernel.disposed.disconnect(onDisposed);
  });
  return watch;
}
