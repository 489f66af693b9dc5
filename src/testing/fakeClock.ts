/** Time that passes only when a test says so. */
import type { IClock } from '../core/clock';

type Sleeper = { readonly due: number; readonly wake: () => void };

/**
 * A manual clock.
 *
 * @example
 * ```ts
 * const clock = new FakeClock();
 * const done = clock.sleep(1000);
 * await clock.advance(1000); // `done` has resolved
 * ```
 */
export class FakeClock implements IClock {
  /** @param start - Milliseconds since the epoch at the start. */
  constructor(start = 0) {
    this._now = start;
  }

  now(): number {
    return this._now;
  }

  /** Number of sleeps that have neither ended nor been aborted. */
  get sleeping(): number {
    return this._sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this._sleepers.delete(sleeper);
        reject(signal!.reason);
      };
      const sleeper: Sleeper = {
        due: this._now + ms,
        wake: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }
      };
      this._sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Let `ms` pass: sleepers wake in order of their time, and what they start
   * within that time wakes too.
   */
  async advance(ms: number): Promise<void> {
    const end = this._now + ms;
    for (;;) {
      await settled();
      const next = [...this._sleepers]
        .filter(sleeper => sleeper.due <= end)
        .sort((a, b) => a.due - b.due)[0];
      if (!next) {
        break;
      }
      this._sleepers.delete(next);
      this._now = Math.max(this._now, next.due);
      next.wake();
    }
    this._now = end;
    await settled();
  }

  private _now: number;
  private _sleepers = new Set<Sleeper>();
}

/** Two macrotasks: promise chains of any length between them have run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 2; i++) {
    await new Promise(resolve => setTimeout(resolve, 0));
  }
}
