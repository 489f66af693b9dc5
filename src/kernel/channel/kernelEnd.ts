/** Reports when the process behind a kernel connection is gone. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { after, type IClock } from '../../core/clock';

export type KernelEnd = 'kernel-restarted' | 'kernel-died';

export const KERNEL_END_MESSAGES: Readonly<Record<KernelEnd, string>> = {
  'kernel-restarted':
    'The kernel was restarted, so its variables are gone. Run the cells above again, then refine.',
  'kernel-died':
    'The kernel died, so its variables are gone. Start it again, run the cells above, then refine.'
};

/**
 * Call `onEnd` once when the kernel's process ends: restarted, died, shut
 * down, or its connection was disposed.
 *
 * @param process The session id in the messages of the process that counts. A
 * restart by another client shows this client only a new one.
 */
export function watchKernelEnd(
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  onEnd: (end: KernelEnd) => void,
  process?: string
): IDisposable {
  let cancel: (() => void) | undefined;
  const end = (how: KernelEnd) => {
    watch.dispose();
    onEnd(how);
  };
  const onStatus = (_: unknown, status: Kernel.Status) => {
    switch (status) {
      case 'restarting':
        // A kernel that died is `restarting` too, and `autorestarting` right after.
        cancel ??= after(clock, 0, () => end('kernel-restarted'));
        break;
      case 'autorestarting':
      case 'terminating':
      case 'dead':
        end('kernel-died');
        break;
      case 'starting':
      case 'unknown':
      case 'idle':
      case 'busy':
        break;
    }
  };
  const onMessage = (
    _: unknown,
    { msg, direction }: Kernel.IAnyMessageArgs
  ) => {
    // The server speaks with a session id of its own, but of restarts and deaths only.
    if (
      direction === 'recv' &&
      msg.header.msg_type === 'status' &&
      msg.header.session !== process &&
      isAlive((msg as KernelMessage.IStatusMsg).content.execution_state)
    ) {
      end('kernel-restarted');
    }
  };
  const onDisposed = () => end('kernel-died');
  kernel.statusChanged.connect(onStatus);
  kernel.disposed.connect(onDisposed);
  if (process !== undefined) {
    kernel.anyMessage.connect(onMessage);
  }
  const watch = new DisposableDelegate(() => {
    cancel?.();
    kernel.statusChanged.disconnect(onStatus);
    kernel.disposed.disconnect(onDisposed);
    kernel.anyMessage.disconnect(onMessage);
  });
  return watch;
}

function isAlive(state: Kernel.Status): boolean {
  return state === 'starting' || state === 'busy' || state === 'idle';
}
