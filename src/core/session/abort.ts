/** Waits that end with a signal. */

/** Throw the signal's reason if it is aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw signal.reason;
  }
}

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

/** A controller that aborts with any of the signals; `unlink` when it is done with. */
export function linkedController(...signals: readonly AbortSignal[]): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const follow = () =>
    controller.abort(signals.find(signal => signal.aborted)?.reason);
  for (const signal of signals) {
    signal.addEventListener('abort', follow, { once: true });
  }
  if (signals.some(signal => signal.aborted)) {
    follow();
  }
  return {
    controller,
    unlink: () => {
      for (const signal of signals) {
        signal.removeEventListener('abort', follow);
      }
    }
  };
}
