/** The queue between whatever produces events (model stream, execution, steering) and the one reader of a session. */
import type { RefineEvent } from '../events/events';

/** Events come out in the order they went in. */
export class EventChannel {
  /** Events pushed after `close` are dropped. */
  push(event: RefineEvent): void {
    if (!this._closed) {
      const reader = this._readers.shift();
      if (reader) {
        reader(event);
      } else {
        this._queue.push(event);
      }
    }
  }

  /** What was pushed can still be read; then `next` gives null. */
  close(): void {
    this._closed = true;
    for (const resolve of this._readers.splice(0)) {
      resolve(null);
    }
  }

  /** The next event, or null when the channel is closed and empty. */
  next(): Promise<RefineEvent | null> {
    const event = this._queue.shift();
    return event || this._closed
      ? Promise.resolve(event ?? null)
      : new Promise(resolve => this._readers.push(resolve));
  }

  private _queue: RefineEvent[] = [];
  private _readers: ((event: RefineEvent | null) => void)[] = [];
  private _closed = false;
}
