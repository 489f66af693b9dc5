/** A model whose waits are reported: silence, the reading of a prompt, a call that is made again. */
import { after } from '../clock';
import type { ModelWait } from '../events/events';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelPrices,
  ModelRequest
} from '../domain/model';
import type { Session } from './session';
import { english } from '../text/english';
import { modelWaitSentence } from '../text/waitWords';

/** Silence after which it is reported, ms; then again each minute. */
const STEPS = [10_000, 30_000, 60_000];
const STEP = 60_000;

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
    private readonly _session: Session,
    /** Gets the wall time that is spent waiting. */
    private readonly _times: { modelMs: number }
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
    const heard = () => this._heard();
    // A call that does not listen to its signal is waited for no longer.
    signal.addEventListener('abort', heard, { once: true });
    try {
      this._wait();
      for await (const event of this._model.generate(request, signal)) {
        this._heard();
        if (event.type === 'reading') {
          const { type, tokens, of } = event;
          // Nothing to say of a prompt that is read at once.
          if (tokens < of) {
            this._report({ type, tokens, of });
          }
        } else {
          if (event.type === 'retry') {
            const { type, reason, delayMs: ms } = event;
            this._report({ type, reason, ms });
          }
          yield event;
        }
        this._wait();
      }
    } finally {
      signal.removeEventListener('abort', heard);
      this._heard();
    }
  }

  private _wait(): void {
    this._since = this._session.clock.now();
    if (!this._waiting) {
      this._listen(0);
    }
  }

  /** @param step - of the silence that is reported next. */
  private _listen(step: number): void {
    const { host, model } = this.identity;
    const due = (n: number) => STEPS[n] ?? STEP * (n - 1);
    const before = step === 0 ? 0 : due(step - 1);
    this._unlisten = after(this._session.clock, due(step) - before, () => {
      if (!this._session.state.outcome) {
        this._report({ type: 'silence', host, model, ms: due(step) });
        this._listen(step + 1);
      }
    });
  }

  private _heard(): void {
    this._unlisten();
    if (this._since !== null) {
      this._times.modelMs += this._session.clock.now() - this._since;
      this._since = null;
    }
    if (this._waiting && !this._session.state.outcome) {
      this._session.emit({ type: 'wait-end', for: 'model' });
    }
    this._waiting = false;
  }

  private _report(model: ModelWait): void {
    const reason = modelWaitSentence(model, english);
    this._waiting = true;
    this._session.emit({ type: 'wait-start', for: 'model', reason, model });
  }

  private _unlisten: () => void = () => {};
  private _waiting = false;
  private _since: number | null = null;
}
