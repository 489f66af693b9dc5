/** Report what a request waits for, until the kernel takes it up. */
import { after } from '../../core/clock';
import type { KernelActivity } from './kernelActivity';
import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';

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
