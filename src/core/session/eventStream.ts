/** A running session as the async generator that its callers see. */
import type { EventChannel } from './channel';
import type { RefineEvent } from '../events/events';
import type { Outcome } from '../domain/outcome';

type RunningSession = {
  /** Never rejects: every failure is an outcome. */
  readonly outcome: Promise<Outcome>;
  readonly stop: () => void;
};

/**
 * Written by hand because a native generator that waits for an event cannot
 * hear `return()` before that event has come.
 */
export class SessionStream implements AsyncGenerator<RefineEvent, Outcome> {
  /** @param start - called once, on the first `next()` or `return()`. */
  constructor(
    private readonly _channel: EventChannel,
    private readonly _start: () => RunningSession
  ) {}

  async next(): Promise<IteratorResult<RefineEvent, Outcome>> {
    const running = this._run();
    const event = await this._channel.next();
    if (event) {
      this._ended ||= event.type === 'session-end';
      return { done: false, value: event };
    }
    return { done: true, value: await running.outcome };
  }

  /**
   * Stop the session and wait until nothing of it runs. Gives its
   * `session-end`, which `next()` has not given then, and done after that.
   */
  async return(): Promise<IteratorResult<RefineEvent, Outcome>> {
    const running = this._run();
    running.stop();
    const outcome = await running.outcome;
    while (!this._ended) {
      const event = await this._channel.next();
      if (event === null) {
        break;
      }
      if (event.type === 'session-end') {
        this._ended = true;
        return { done: false, value: event };
      }
    }
    return { done: true, value: outcome };
  }

  /** As `return()`, then the error. */
  async throw(error: unknown): Promise<IteratorResult<RefineEvent, Outcome>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private _run(): RunningSession {
    if (!this._running) {
      this._running = this._start();
      const close = () => this._channel.close();
      // Should it reject after all, `next()` says so: no rejection is left unhandled beside it.
      this._running.outcome.then(close, close);
    }
    return this._running;
  }

  private _running: RunningSession | null = null;
  private _ended = false;
}
