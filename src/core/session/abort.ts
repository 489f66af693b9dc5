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
