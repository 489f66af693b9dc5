/** A model's answer as one text, where nothing is shown while it streams. */
import type { Reservation } from './budget';
import { RefineError } from '../errors';
import { sentence } from '../messages/sentence';
import { CallMeter } from './meter';
import type { ILanguageModel, ModelRequest, Usage } from '../domain/model';

export type Completing = {
  /** Room for the call; none: nothing limits it. */
  readonly reservation?: Reservation;
  /** Called once, also when the call fails or is aborted. */
  readonly onUsage: (usage: Usage) => void;
  readonly signal: AbortSignal;
};

/**
 * What came before the reservation was used up, at most.
 *
 * @throws RefineError of the model, or the signal's reason.
 */
export async function completeText(
  model: ILanguageModel,
  request: Omit<ModelRequest, 'maxOutputTokens'>,
  { reservation, onUsage, signal }: Completing
): Promise<string> {
  const limit = reservation?.maxOutputTokens ?? null;
  const meter = new CallMeter(model, request.messages, reservation);
  let text = '';
  let ended = false;
  let reported = false;
  const account = () => {
    if (!reported) {
      reported = true;
      onUsage(meter.usage);
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    const events = model.generate(
      { ...request, ...(limit === null ? {} : { maxOutputTokens: limit }) },
      signal
    );
    for await (const event of events) {
      if (event.type === 'text') {
        text += event.text;
      } else if (event.type === 'retry') {
        text = '';
      }
      if (!meter.take(event)) {
        ended = true;
        break;
      }
      ended ||= event.type === 'end';
    }
    if (!ended) {
      throw new RefineError('model', sentence('answer.cut-short'), {
        code: 'stream-cut'
      });
    }
    return text;
  } catch (error) {
    meter.fail(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', account);
    account();
  }
}
