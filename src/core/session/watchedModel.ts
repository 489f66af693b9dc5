/** A model whose waits are reported: silence, the reading of a prompt, a call that is made again. */
import { after } from '../clock';
import type { ILanguageModel } from '../domain/model';
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
export function watched(
  model: ILanguageModel,
  session: Session
): ILanguageModel {
  const { clock, times } = session;
  let unlisten = () => {};
  let waiting = false;
  let since: number | null = null;

  const report = (reason: string) => {
    waiting = true;
    session.emit({ type: 'wait-start', for: 'model', reason });
  };

  /** @param silent - for so long already, ms. */
  const listen = (silent = 0) => {
    const { host, model: name } = model.identity;
    const next = silent + (silent === 0 ? FIRST : STEP);
    unlisten = after(clock, next - silent, () => {
      if (!session.state.outcome) {
        const who = host ? `${name} at ${host}` : name;
        report(`Waiting for model ${who}: no data for ${duration(next)}.`);
        listen(next);
      }
    });
  };

  const wait = () => {
    since = clock.now();
    if (!waiting) {
      listen();
    }
  };

  const heard = () => {
    unlisten();
    if (since !== null) {
      times.modelMs += clock.now() - since;
      since = null;
    }
    if (waiting && !session.state.outcome) {
      session.emit({ type: 'wait-end', for: 'model' });
    }
    waiting = false;
  };

  return {
    identity: model.identity,
    prices: model.prices ?? null,
    async *generate(request, signal) {
      // A call that does not listen to its signal is waited for no longer.
      signal.addEventListener('abort', heard, { once: true });
      try {
        wait();
        for await (const event of model.generate(request, signal)) {
          heard();
          if (event.type === 'reading') {
            const [read, all] = [event.tokens, event.of];
            // Nothing to say of a prompt that is read at once.
            if (read < all) {
              report(
                `The model reads the prompt: ${read.toLocaleString('en')} of ${all.toLocaleString('en')} tokens.`
              );
            }
          } else {
            if (event.type === 'retry') {
              const { reason, delayMs } = event;
              const delay = delayMs < 1000 ? '' : ` in ${duration(delayMs)}`;
              report(`${reason} The answer starts again${delay}.`);
            }
            yield event;
          }
          wait();
        }
      } finally {
        signal.removeEventListener('abort', heard);
        heard();
      }
    }
  };
}
