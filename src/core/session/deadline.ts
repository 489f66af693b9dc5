/** A time limit that pauses while a human is waited for. */
import type { IClock } from '../clock';

export class Deadline {
  /**
   * @param ms - working time until `onExpired` is called, once.
   */
  constructor(
    private readonly _clock: IClock,
    ms: number,
    private readonly _onExpired: () => void
  ) {
    this._left = ms;
  }

  /** Working time left, ms. */
  get left(): number {
    return this._running
      ? Math.max(0, this._left - (this._clock.now() - this._startedAt))
      : this._left;
  }

  /** Let the time run. */
  start(): void {
    if (this._running || this._ended) {
      return;
    }
    this._startedAt = this._clock.now();
    const running = new AbortController();
    this._running = running;
    this._clock.sleep(this._left, running.signal).then(
      () => {
        if (this._running === running) {
          this.end();
          this._onExpired();
        }
      },
      () => undefined
    );
  }

  /** Stand still until the next `start`. */
  hold(): void {
    if (this._running) {
      this._left = this.left;
      this._running.abort();
      this._running = null;
    }
  }

  /** For good. */
  end(): void {
    this._ended = true;
    this._running?.abort();
    this._running = null;
  }

  private _left: number;
  private _startedAt = 0;
  private _running: AbortController | null = null;
  private _ended = false;
}
