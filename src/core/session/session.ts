/** What the parts of one running session share: its folded state, its one stop signal, its waits. */
import {
  Budget,
  estimatePrompt,
  pricesOf,
  type CallRoom
} from './budget/budget';
import { after, type IClock } from '../clock';
import type { RefineDeps } from '../deps';
import type { DeniedSubject } from '../domain/execution';
import type { RefineRequest } from '../domain/request';
import type { IEvaluator } from '../domain/verdict';
import type { IFeedbackStrategy } from '../domain/visible';
import { RefineError, type RefineErrorKind } from '../errors';
import type {
  CallPurpose,
  EventBody,
  RefineEvent,
  WaitFor
} from '../events/events';
import { fold } from '../events/fold';
import {
  addUsage,
  type ChatMessage,
  type ILanguageModel,
  type ModelCall,
  type Usage
} from '../domain/model';
import type { StopReason } from '../domain/outcome';
import type { SessionState } from '../events/state';
import { untilAborted } from './abort';

export type SessionError = {
  readonly code: string;
  readonly message: string;
  readonly kind?: RefineErrorKind;
  /** Of a fork that failed before the candidate started. */
  readonly traceback?: string;
};

/**
 * Thrown to end a session from any depth; never seen outside the loop. As the
 * reason of the signal that stops a session it says why: without, a user did it.
 */
export class SessionStop extends Error {
  constructor(
    readonly reason: StopReason,
    readonly error?: SessionError
  ) {
    super(`session ended: ${reason}`);
    this.name = 'SessionStop';
  }
}

export class Session {
  /** @param _onEvent - gets each event once it is folded. */
  constructor(
    readonly request: RefineRequest,
    readonly deps: RefineDeps,
    private _state: SessionState,
    private readonly _onEvent: (event: RefineEvent) => void
  ) {
    const { modelMs = 0, kernelMs = 0 } = _state.outcome ?? {};
    this.times = { modelMs, kernelMs };
    this.clock = deps.clock;
    this._budget = new Budget(request.options);
    this._budget.add(_state.usage);
    this._left = request.options.sessionTimeout * 1000;
    if (deps.signal.aborted) {
      this._onStop();
    } else {
      deps.signal.addEventListener('abort', this._onStop, { once: true });
    }
  }

  readonly clock: IClock;
  /** This and the next are set at the start, once the settings are known to be right. */
  evaluators: readonly IEvaluator[] = [];
  feedback!: IFeedbackStrategy;
  /** First attempt of this run: the kernel may have changed since earlier ones. */
  firstAttempt = 0;
  /** No prompt follows the attempt of this number. */
  lastAttempt = 0;
  /** What the user allowed after a denial, for the rest of the session. */
  readonly allowed = new Set<DeniedSubject>();
  /** Tokens that a prompt may have; learned where a server refuses a longer one. */
  promptTokens = Infinity;
  /** Wall time so far that models and executions took, ms. */
  readonly times: { modelMs: number; kernelMs: number };
  private readonly _controller = new AbortController();
  /** Aborted on stop and on time-out, with a {@link SessionStop}. */
  readonly signal = this._controller.signal;

  get state(): SessionState {
    return this._state;
  }

  /** Judges and condenses. Self-refine is one model in all roles. */
  get judge(): ILanguageModel | null {
    const { generator, evaluatorModel } = this.deps;
    return this.request.options.workflow === 'self-refine'
      ? generator
      : (evaluatorModel ?? generator);
  }

  emit(body: EventBody): void {
    const event = {
      ...body,
      at: this.clock.now(),
      session: this._state.session
    } as RefineEvent;
    this._state = fold(this._state, event);
    this._onEvent(event);
  }

  abort(reason: StopReason): void {
    if (!this._controller.signal.aborted) {
      this._controller.abort(new SessionStop(reason));
    }
  }

  /** Let the session's time run, from where it stood. */
  startTimer(): void {
    this._holdTimer();
    this._startedAt = this.clock.now();
    this._cancel = after(this.clock, this._left, () => this.abort('timeout'));
  }

  /** A human's time is not the session's. */
  private _holdTimer(): void {
    if (this._cancel) {
      this._cancel();
      this._cancel = null;
      this._left -= this.clock.now() - this._startedAt;
    }
  }

  /** `promise`, or the abort, whichever is first: no port can hold a stopped session. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return untilAborted(promise, this.signal);
  }

  /** Wait for something outside the loop, reported as such. */
  async waitFor<T>(
    subject: WaitFor,
    reason: string,
    promise: Promise<T>
  ): Promise<T> {
    const human = subject !== 'kernel' && subject !== 'model';
    this.emit({ type: 'wait-start', for: subject, reason });
    if (human) {
      this._holdTimer();
    }
    try {
      return await this.wait(promise);
    } finally {
      if (human && !this.signal.aborted) {
        this.startTimer();
      }
      this.emit({ type: 'wait-end', for: subject });
    }
  }

  /** Between attempts. */
  async waitWhilePaused(): Promise<void> {
    const { steering } = this.deps;
    this.signal.throwIfAborted();
    if (steering?.paused) {
      this._holdTimer();
      await this.wait(steering.waitWhilePaused());
      this.startTimer();
    }
  }

  /** Room for one call of `model`; null when the budget has none left. */
  room(
    model: ILanguageModel,
    messages: readonly ChatMessage[],
    maxOutputTokens = this.request.options.maxOutputTokens
  ): CallRoom | null {
    const prices = pricesOf(model);
    const { maxCost } = this.request.options;
    if (prices === null && maxCost !== null && !this._warned) {
      this._warned = true;
      this.warn(
        `The price of ${model.identity.model} is unknown: maxCost cannot be checked. Set maxTokens, or the price in the server's profile.`
      );
    }
    return this._budget.room(estimatePrompt(messages), maxOutputTokens, prices);
  }

  /** Report a call that has ended, and add its usage; a candidate's prompt is in its `attempt-start`. */
  addCall(
    attempt: number,
    purpose: CallPurpose,
    usage: Usage,
    call: ModelCall
  ): void {
    this.emit({
      type: 'model-call',
      attempt,
      purpose,
      ...call,
      ...(purpose === 'candidate' ? { prompt: [] } : {})
    });
    this.addUsage(attempt, usage);
  }

  /** Add a call's usage to its attempt and to the session. */
  addUsage(attempt: number, usage: Usage): void {
    this._budget.add(usage);
    this.emit({
      type: 'usage',
      attempt,
      usage,
      total: addUsage(this._state.usage, usage)
    });
  }

  warn(message: string, attempt?: number): void {
    this.emit(
      attempt === undefined
        ? { type: 'warning', message }
        : { type: 'warning', attempt, message }
    );
  }

  dispose(): void {
    this._holdTimer();
    this.deps.signal.removeEventListener('abort', this._onStop);
  }

  private readonly _onStop = () => {
    const { reason } = this.deps.signal as { readonly reason: unknown };
    this.abort(reason instanceof SessionStop ? reason.reason : 'stopped');
  };

  private readonly _budget: Budget;
  /** Working time until it ends, ms. */
  private _left: number;
  private _startedAt = 0;
  private _cancel: (() => void) | null = null;
  private _warned = false;
}

const REPORT = 'https://github.com/jupyterlab-refine/jupyterlab-refine/issues';
const STACK_LIMIT = 2000;

/** What a session ends with when a model, or this code around it, failed. */
export function stopAfter(error: unknown): SessionStop {
  if (error instanceof SessionStop) {
    return error;
  }
  if (error instanceof RefineError) {
    return new SessionStop(
      error.code === 'refused' ? 'refused' : 'model-error',
      describeError(error)
    );
  }
  const { name, message, stack } =
    error instanceof Error ? error : new Error(String(error));
  return new SessionStop('internal-error', {
    code: 'internal',
    message: `Internal error of jupyterlab-refine: ${name}: ${message}. Please report it with this text at ${REPORT}`,
    ...(stack ? { traceback: stack.slice(0, STACK_LIMIT) } : {})
  });
}

/** Built-in errors that a mistake in our code throws; an error of the transport has a class of its own. */
const MISTAKES: ReadonlySet<string> = new Set([
  'TypeError',
  'ReferenceError',
  'RangeError'
]);

/** What a session ends with when the kernel, or this code around it, failed. */
export function stopAfterKernel(error: unknown): SessionStop {
  // By name: the error may come from another realm. JupyterLab's NetworkError extends TypeError.
  if (error instanceof Error && MISTAKES.has(error.constructor.name)) {
    return stopAfter(error);
  }
  const { code, ...described } = describeError(error);
  return new SessionStop(
    code === 'kernel-restarted' ? 'kernel-restarted' : 'kernel-died',
    { kind: 'kernel', code, ...described }
  );
}

/** An error of a port as the outcome reports it; anything but a RefineError is a bug there. */
export function describeError(error: unknown): SessionError {
  if (error instanceof RefineError) {
    const { code, message, kind, cause } = error;
    const traceback = typeof cause === 'string' ? { traceback: cause } : {};
    return { code, message, kind, ...traceback };
  }
  return {
    code: 'other',
    message: error instanceof Error ? error.message : String(error)
  };
}
