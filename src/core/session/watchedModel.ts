/** A model whose silence is reported, and that is given up before its silence uses up the session's time. */
import { linkedController, untilAborted } from './abort';
import { duration } from '../text/duration';
import { english } from '../text/english';
import { RefineError } from '../errors';
import type { ModelWait } from '../events/events';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelPrices,
  ModelRequest
} from '../domain/model';
import type { Session } from './session';
import { modelName, modelWaitSentence } from '../text/waitWords';

/** Silence after which it is reported; again each time the next step is reached, ms. */
const STEPS = [10_000, 30_000, 60_000] as const;
/** From the last step on. */
const STEP = 60_000;
/** Part of the session's remaining time that one silence may take. */
const PART = 0.9;

/**
 * Passes a model's events on. Only the time in which the consumer waits for the
 * model counts.
 *
 * @example
 * 10 s without an event give `wait-start` with "Waiting for example.org: …";
 * the next event gives `wait-end`.
 */
export class WatchedModel implements ILanguageModel {
  constructor(
    private readonly _model: ILanguageModel,
    private readonly _session: Session
  ) {}

  get identity(): ModelIdentity {
    return this._model.identity;
  }

  get prices(): ModelPrices | null | undefined {
    return this._model.prices;
  }

  async *generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncGenerator<ModelEvent> {
    const { controller, unlink } = linkedController(signal);
    const iterator = this._model
      .generate(request, controller.signal)
      [Symbol.asyncIterator]();
    const silence = new Silence(this._session, this.identity, controller);
    let ended = false;
    try {
      for (;;) {
        silence.begin();
        const next = await untilAborted(iterator.next(), controller.signal);
        silence.end();
        if (next.done) {
          ended = true;
          return;
        }
        ended = next.value.type === 'end';
        if (next.value.type === 'reading') {
          silence.reading(next.value);
          continue;
        }
        if (next.value.type === 'retry') {
          silence.retry(next.value.reason, next.value.delayMs);
        }
        yield next.value;
      }
    } finally {
      silence.dispose();
      unlink();
      if (!ended) {
        controller.abort();
      }
      // A call that does not listen to its signal must not hold the session.
      void Promise.resolve(iterator.return?.()).catch(() => undefined);
    }
  }
}

/** The silence of one call; one sleep of the clock at a time, however many events come. */
class Silence {
  constructor(
    private readonly _session: Session,
    private readonly _identity: ModelIdentity,
    private readonly _call: AbortController
  ) {
    void this._run().catch(() => undefined);
  }

  /** The model is waited for from now on. */
  begin(): void {
    this._since = this._session.clock.now() + this._delay;
    this._delay = 0;
    this._step = 0;
  }

  /** Something came. */
  end(): void {
    this._since = null;
    this._endWait();
  }

  /** It reads the prompt; nothing to say of one that is read at once. */
  reading({ tokens, of }: Extract<ModelWait, { type: 'reading' }>): void {
    if (tokens < of) {
      this._wait({ type: 'reading', tokens, of });
    }
  }

  /** The call is made again after a wait that is no silence. */
  retry(reason: string, delayMs: number): void {
    this._delay = delayMs;
    this._wait({ type: 'retry', reason, ms: delayMs });
  }

  dispose(): void {
    this._since = null;
    this._endWait();
    this._over.abort();
  }

  private async _run(): Promise<void> {
    const { clock } = this._session;
    for (;;) {
      const silent = this._silent();
      const limit = this._limit(silent);
      if (silent >= limit) {
        this._giveUp(silent);
        return;
      }
      const due = dueAt(this._step);
      if (silent >= due) {
        this._step += 1;
        this._report(due);
        continue;
      }
      // Rounded up: a rest below the clock's precision would never pass.
      const ms = Math.ceil(Math.min(due, limit) - silent);
      await clock.sleep(ms, this._over.signal);
    }
  }

  private _silent(): number {
    return this._since === null ? 0 : this._session.clock.now() - this._since;
  }

  /** At least the first report; no limit where the session has less time left. */
  private _limit(silent: number): number {
    const { remainingMs, timeoutMs } = this._session;
    const limit = PART * (remainingMs + Math.max(0, silent));
    return limit >= Math.min(STEPS[0], PART * timeoutMs) ? limit : Infinity;
  }

  /** A prompt that is being read says more. */
  private _report(ms: number): void {
    if (this._session.state.waiting?.model?.type === 'reading') {
      return;
    }
    const { host, model } = this._identity;
    this._wait({ type: 'silence', host, model, ms });
  }

  private _wait(model: ModelWait): void {
    const waiting = this._session.state.waiting?.for;
    // A question is not covered by it.
    if (
      waiting !== 'human' &&
      waiting !== 'permission' &&
      !this._session.state.outcome
    ) {
      this._waiting = true;
      this._session.emit({
        type: 'wait-start',
        for: 'model',
        reason: modelWaitSentence(model, english),
        model
      });
    }
  }

  private _endWait(): void {
    if (this._waiting) {
      this._waiting = false;
      if (!this._session.state.outcome) {
        this._session.emit({ type: 'wait-end', for: 'model' });
      }
    }
  }

  private _giveUp(ms: number): void {
    this._call.abort(
      new RefineError(
        'model',
        `Nothing came from ${modelName(this._identity)} for ${duration(ms)}, and the session’s time (sessionTimeout, ${duration(this._session.timeoutMs)}) was nearly used up. Check the load of the provider, or choose another model.`,
        { code: 'stalled', numbers: { waitedMs: ms } }
      )
    );
  }

  private _since: number | null = null;
  private _delay = 0;
  private _step = 0;
  private _waiting = false;
  private readonly _over = new AbortController();
}

function dueAt(step: number): number {
  return STEPS[step] ?? STEPS[2] + STEP * (step - 2);
}
