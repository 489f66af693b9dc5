/** What a part of a session listens to. */
import { linkedController, throwIfAborted, untilAborted } from './abort';

/** Thrown in an attempt that another one has made needless. */
export class AttemptCancelled extends Error {
  constructor() {
    super('Another candidate passed first.');
    this.name = 'AttemptCancelled';
  }
}

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

  /** A scope within this one that can be cancelled by itself; `end` when it is done with. */
  branch(): {
    readonly scope: Scope;
    readonly cancel: () => void;
    readonly end: () => void;
  } {
    const { controller, unlink } = linkedController(this.signal);
    return {
      scope: new Scope(controller.signal),
      cancel: () => controller.abort(new AttemptCancelled()),
      end: unlink
    };
  }
}
