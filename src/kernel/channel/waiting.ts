/** Tell what a request waits for, until the kernel takes it up. */
import { after } from '../../core/clock';
import type { KernelActivity } from './kernelActivity';
import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';

/** Short executions of others are not worth a word. */
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
  let told: string | null = null;
  let cancel = () => {};
  const tell = () => {
    const reason = isOurs() ? null : activity.busyReason;
    if (reason !== told && (reason !== null || isOurs())) {
      told = reason;
      onWaiting(reason);
    }
  };
  const onChanged = () => {
    cancel();
    if (isOurs()) {
      tell();
    } else {
      cancel = after(activity.clock, QUIET_MS, tell);
    }
  };
  activity.changed.connect(onChanged);
  onChanged();
  return new DisposableDelegate(() => {
    cancel();
    activity.changed.disconnect(onChanged);
  });
}
