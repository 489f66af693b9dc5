/** Notice that a kernel which owes an answer has nothing to do. */
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { after } from '../../core/clock';
import type { KernelActivity } from './kernelActivity';

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
