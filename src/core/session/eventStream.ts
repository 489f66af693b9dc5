/** A running session as the async generator that its callers see. */
import type { EventChannel } from './channel';
import { RefineError } from '../errors';
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
  /**
   * @param start - called once, on the first `next()` or `return()`.
   * @param raiseOnBudget - `next()` throws after the `session-end` of a session
   * whose budget was spent, once.
   */
  constructor(
    private readonly _channel: EventChannel,
    private readonly _start: () => RunningSession,
    private readonly _raiseOnBudget: boolean
  ) {}

  async next(): Promise<IteratorResult<RefineEvent, Outcome>> {
    const running = this._run();
    const event = await this._channel.next();
    if (event) {
      this._ended ||= event.type === 'session-end';
      return { done: false, value: event };
    }
    const outcome = await running.outcome;
    const spent = this._raiseOnBudget && outcome.stopReason === 'budget';
    if (spent && !this._raised) {
      this._raised = true;
      throw budgetSpent(outcome);
    }
    return { done: true, value: outcome };
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
  private _raised = false;
}

/** The best attempt is not lost with it: the outcome is the error's cause. */
function budgetSpent(outcome: Outcome): RefineError {
  const { calls, promptTokens, completionTokens } = outcome.usage;
  return new RefineError(
    'budget',
    `The session used up its budget (tokens: ${promptTokens + completionTokens}, calls: ${calls}). Raise maxTokens or maxCost, or turn raiseOnBudget off.`,
    { code: 'budget', cause: outcome }
  );
}
