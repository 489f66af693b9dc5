/** Time as a port, so that tests need not wait. */
export interface IClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Call `then` once after `ms`, unless the returned function is called before. */
export function after(clock: IClock, ms: number, then: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  void clock.sleep(ms, signal).then(
    () => signal.aborted || then(),
    () => undefined
  );
  return () => controller.abort();
}

export const systemClock: IClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    })
};
