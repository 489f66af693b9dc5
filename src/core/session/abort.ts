/** Waits that end with a signal. */

/** `promise`, or a rejection with the signal's reason, whichever is first. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const forget = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
    }
    promise.then(
      value => {
        forget();
        resolve(value);
      },
      error => {
        forget();
        reject(error);
      }
    );
  });
}

/** A controller that aborts with the signal; `unlink` when it is done with. */
export function linkedController(signal: AbortSignal): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) {
    follow();
  }
  return {
    controller,
    unlink: () => signal.removeEventListener('abort', follow)
  };
}
