/** A model whose waits are reported: silence, the reading of a prompt, a call that is made again. */
import { after } from '../clock';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelPrices,
  ModelRequest
} from '../domain/model';
import type { Session } from './session';
import { duration } from '../text/english';

/** Silence after which it is reported, ms, and reported again. */
const FIRST = 10_000;
const STEP = 30_000;

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
    const heard = () => this._heard();
    // A call that does not listen to its signal is waited for no longer.
    signal.addEventListener('abort', heard, { once: true });
    try {
      this._wait();
      for await (const event of this._model.generate(request, signal)) {
        this._heard();
        if (event.type === 'reading') {
          const [read, all] = [event.tokens, event.of];
          // Nothing to say of a prompt that is read at once.
          if (read < all) {
            this._report(
              `The model reads the prompt: ${read.toLocaleString('en')} of ${all.toLocaleString('en')} tokens.`
            );
          }
        } else {
          if (event.type === 'retry') {
            const { reason, delayMs } = event;
            const delay = delayMs < 1000 ? '' : ` in ${duration(delayMs)}`;
            this._report(`${reason} The answer starts again${delay}.`);
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
      this._listen();
    }
  }

  /** @param silent - for so long already, ms. */
  private _listen(silent = 0): void {
    const { host, model } = this.identity;
    const next = silent + (silent === 0 ? FIRST : STEP);
    this._unlisten = after(this._session.clock, next - silent, () => {
      if (!this._session.state.outcome) {
        const who = host ? `${model} at ${host}` : model;
        this._report(
          `Waiting for model ${who}: no data for ${duration(next)}.`
        );
        this._listen(next);
      }
    });
  }

  private _heard(): void {
    this._unlisten();
    if (this._since !== null) {
      const { clock, times } = this._session;
      times.modelMs += clock.now() - this._since;
      this._since = null;
    }
    if (this._waiting && !this._session.state.outcome) {
      this._session.emit({ type: 'wait-end', for: 'model' });
    }
    this._waiting = false;
  }

  private _report(reason: string): void {
    this._waiting = true;
    this._session.emit({ type: 'wait-start', for: 'model', reason });
  }

  private _unlisten: () => void = () => {};
  private _waiting = false;
  private _since: number | null = null;
}
