/** Waits for the provider with a limit for each phase: a model that loads is not a stalled body. */
import type { Tuning } from '../call/tuning';

/** The provider was silent for `ms`. */
export class Silence extends Error {
  constructor(readonly ms: number) {
    super(`Silence for ${ms} ms`);
  }
}

type Phase = 'loading' | 'streaming' | 'closing';

/**
 * Only the time spent in `wait` counts, so a consumer that pauses between two
 * reads stalls nothing.
 */
export class LifeWatch {
  constructor(private readonly tuning: Tuning) {}

  /** Text has come: from now on only data is life. */
  firstToken(): void {
    if (this._phase === 'loading') {
      this._phase = 'streaming';
      this._silentMs = 0;
    }
  }

  /** The answer has ended; usage and the end of the body may still follow. */
  closing(): void {
    this._phase = 'closing';
    this._silentMs = 0;
  }

  /** Bytes have come: data of the stream, or only comments. */
  bytes(kind: 'data' | 'comment'): void {
    if (kind === 'data' || this._phase === 'loading') {
      this._silentMs = 0;
    }
  }

  /**
   * The result of `operation`, or `Silence` when it takes longer than the
   * phase allows. Rejects at once when `signal` is aborted.
   */
  wait<T>(operation: Promise<T>, signal: AbortSignal): Promise<T> {
    const limit = this._limit();
    const start = performance.now();
    return new Promise<T>((resolve, reject) => {
      let settled = false;
      const settle = (then: () => void) => {
        if (settled) {
          return;
        }
        settled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        const ms = performance.now() - start;
        this._silentMs += ms;
        this._loadingMs += ms;
        then();
      };
      const onAbort = () => settle(() => reject(signal.reason as Error));
      const timer = setTimeout(
        () => settle(() => reject(new Silence(Math.round(this._silentMs)))),
        limit
      );
      signal.addEventListener('abort', onAbort, { once: true });
      operation.then(
        value => settle(() => resolve(value)),
        (error: Error) => settle(() => reject(error))
      );
      if (signal.aborted) {
        onAbort();
      }
    });
  }

  private _limit(): number {
    const { firstTokenMs, loadingMs, stallMs, closingMs } = this.tuning;
    switch (this._phase) {
      case 'loading':
        return Math.max(
          0,
          Math.min(firstTokenMs - this._silentMs, loadingMs - this._loadingMs)
        );
      case 'streaming':
        return Math.max(0, stallMs - this._silentMs);
      case 'closing':
        return Math.max(0, closingMs - this._silentMs);
    }
  }

  private _phase: Phase = 'loading';
  private _silentMs = 0;
  private _loadingMs = 0;
}
