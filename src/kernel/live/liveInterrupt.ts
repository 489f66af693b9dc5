/** Ends an execution of ours in the live kernel, and never a cell of the user's. */
import type { Kernel } from '@jupyterlab/services';
import type { IClock } from '../../core/clock';
import type { KernelActivity } from '../channel/kernelActivity';
import type { ILiveRequest } from './liveRequest';

/** How long an interrupt may take before it is sent again. */
const INTERRUPT_MS = 2000;
const MAX_INTERRUPTS = 5;

/**
 * Interrupt the kernel while it works on `request`; when that is still queued
 * behind a cell, it cannot be taken back and is interrupted when its turn comes.
 *
 * @returns A sentence for the user when the kernel did not react; else null.
 */
export async function interruptOwn(
  kernel: Kernel.IKernelConnection,
  activity: KernelActivity,
  request: ILiveRequest,
  clock: IClock
): Promise<string | null> {
  if (!activity.isRunning(request.msgId)) {
    interruptWhenRunning(kernel, activity, request);
    return null;
  }
  for (let sent = 0; sent < MAX_INTERRUPTS; sent++) {
    await kernel.interrupt().catch(() => undefined);
    const ended = await Promise.race([
      request.answer.then(() => true),
      clock.sleep(INTERRUPT_MS).then(() => false)
    ]);
    if (ended || !activity.isRunning(request.msgId)) {
      return null;
    }
  }
  return `The kernel did not react to ${MAX_INTERRUPTS} interrupts; the attempt may still run there. Restart the kernel if it stays busy.`;
}

/** Outlives its run on purpose: ends with the request. */
function interruptWhenRunning(
  kernel: Kernel.IKernelConnection,
  activity: KernelActivity,
  request: ILiveRequest
): void {
  const onChanged = () => {
    if (activity.isRunning(request.msgId)) {
      activity.changed.disconnect(onChanged);
      void kernel.interrupt().catch(() => undefined);
    }
  };
  activity.changed.connect(onChanged);
  void request.answer.then(() => activity.changed.disconnect(onChanged));
}
