/** What a part of a session listens to. */
import { throwIfAborted, untilAborted } from './abort';

/** A signal with the waits that obey it. */
export class Scope {
  constructor(readonly signal: AbortSignal) {}

  /** Leave at once when aborted. */
  check(): void {
    throwIfAborted(this.signal);
  }

  /** `promise`, or the abort, whichever is first: no port can hold a stopped session. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return untilAborted(promise, this.signal);
  }
}
