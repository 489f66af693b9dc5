/** Notice that a kernel which owes an answer has nothing to do. */
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { KernelActivity } from './kernelActivity';

/** Call `onIdle` once when the kernel has been free for `ms` without a break. */
export function whenIdle(
  activity: KernelActivity,
  ms: number,
  onIdle: () => void
): IDisposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChanged = () => {
    clearTimeout(timer);
    if (activity.busyReason === null) {
      timer = setTimeout(() => {
        watch.dispose();
        onIdle();
      }, ms);
    }
  };
  const watch = new DisposableDelegate(() => {
    clearTimeout(timer);
    activity.changed.disconnect(onChanged);
  });
  activity.changed.connect(onChanged);
  onChanged();
  return watch;
}
