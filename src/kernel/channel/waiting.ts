/** Waiting for a kernel: what a request waits for, when the kernel is free, when to send again. */
import { after } from '../../core/clock';
import type { KernelActivity } from './kernelActivity';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

/** How often a request is sent again that the kernel has dropped: a cell before it failed. */
export const MAX_RESENDS = 20;

/** Milliseconds before the next one, after so many. */
export function resendPauseMs(resends: number): number {
  return Math.min(10 * 2 ** resends, 500);
}

/** Short executions of others are not reported. */
const QUIET_MS = 150;

/**
 * Call `onWaiting` with a reason while the kernel is busy with something else
 * than `isOurs()`, and with null once when it has taken the request up after a wait.
 */
export function reportWaiting(
  activity: KernelActivity,
  isOurs: () => boolean,
  onWaiting: (reason: string | null) => void
): IDisposable {
  let reported: string | null = null;
  let cancel = () => {};
  const report = () => {
    const reason = isOurs() ? null : activity.busyReason;
    if (reason !== reported && (reason !== null || isOurs())) {
      reported = reason;
      onWaiting(reason);
    }
  };
  const onChanged = () => {
    cancel();
    if (isOurs()) {
      report();
    } else {
      cancel = after(activity.clock, QUIET_MS, report);
    }
  };
  activity.changed.connect(onChanged);
  onChanged();
  return new DisposableDelegate(() => {
    cancel();
    activity.changed.disconnect(onChanged);
  });
}

/** Call `onIdle` once when the kernel has been free for `ms` without a break. */
export function whenIdle(
  activity: KernelActivity,
  ms: number,
  onIdle: () => void
): IDisposable {
  let cancel = () => {};
  const onChanged = () => {
    cancel();
    if (activity.busyReason === null) {
      cancel = after(activity.clock, ms, () => {
        watch.dispose();
        onIdle();
      });
    }
  };
  const watch = new DisposableDelegate(() => {
    cancel();
    activity.changed.disconnect(onChanged);
  });
  activity.changed.connect(onChanged);
  onChanged();
  return watch;
}
