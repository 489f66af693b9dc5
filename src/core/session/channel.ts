/** The queue between whatever produces events (model stream, execution, steering) and the one reader of a session. */
import { after, type IClock } from '../clock';
import type { RefineEvent } from '../events/events';

type DeltaEvent = Extract<RefineEvent, { type: 'candidate-delta' }>;

/** One delta with the effect of `first` followed by `second`, both of the same attempt. */
export function mergeDeltas(first: DeltaEvent, second: DeltaEvent): DeltaEvent {
  if (second.reset) {
    return second;
  }
  const merged = {
    ...second,
    thoughts: first.thoughts + second.thoughts,
    code: second.resetCode ? second.code : first.code + second.code
  };
  return {
    ...merged,
    ...(first.reset ? { reset: true } : {}),
    ...(first.resetCode || second.resetCode ? { resetCode: true } : {})
  };
}

/**
 * Events come out in the order they went in. `candidate-delta` events of the
 * same macrotask are merged into one, so that a burst of tokens in one network
 * chunk costs the reader one event.
 */
export class EventChannel {
  constructor(private readonly _clock: IClock) {}

  /** Events pushed after `close` are dropped. */
  push(event: RefineEvent): void {
    if (this._closed) {
      return;
    }
    if (event.type !== 'candidate-delta') {
      this._flush();
      this._deliver(event);
      return;
    }
    if (this._held && this._held.attempt !== event.attempt) {
      this._flush();
    }
    this._held = this._held ? mergeDeltas(this._held, event) : event;
    this._cancel ??= after(this._clock, 0, () => this._flush());
  }

  /** What was pushed can still be read; then `next` gives null. */
  close(): void {
    this._flush();
    this._closed = true;
    for (const resolve of this._readers.splice(0)) {
      resolve(null);
    }
  }

  /** The next event, or null when the channel is closed and empty. */
  next(): Promise<RefineEvent | null> {
    const event = this._queue.shift();
    if (event) {
      return Promise.resolve(event);
    }
    if (this._closed) {
      return Promise.resolve(null);
    }
    return new Promise(resolve => this._readers.push(resolve));
  }

  private _flush(): void {
    this._cancel?.();
    this._cancel = null;
    if (this._held) {
      const held = this._held;
      this._held = null;
      this._deliver(held);
    }
  }

  private _deliver(event: RefineEvent): void {
    const reader = this._readers.shift();
    if (reader) {
      reader(event);
    } else {
      this._queue.push(event);
    }
  }

  private _queue: RefineEvent[] = [];
  private _readers: ((event: RefineEvent | null) => void)[] = [];
  private _held: DeltaEvent | null = null;
  private _cancel: (() => void) | null = null;
  private _closed = false;
}
