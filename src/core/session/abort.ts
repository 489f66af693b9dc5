/** Waits that end with a signal. */

/** `promise`, or a rejection with the signal's reason, whichever is first. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal
): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
    }
  });
  return Promise.race([aborted, promise]).finally(() =>
    signal.removeEventListener('abort', onAbort)
  );
}
