/** A model's answer as one text, where nothing is shown while it streams. */
import type { Reservation } from './budget';
import { RefineError } from '../errors';
import { sentence } from '../messages/sentence';
import { CallMeter } from './meter';
import type {
  ILanguageModel,
  ModelCall,
  ModelRequest,
  Usage
} from '../domain/model';

export type Completing = {
  /** Room for the call; none: nothing limits it. */
  readonly reservation?: Reservation;
  /** Called once with what it cost and how it went, also when the call fails or is aborted. */
  readonly onCall: (usage: Usage, call: ModelCall) => void;
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
  { reservation, onCall, signal }: Completing
): Promise<string> {
  const limit = reservation?.maxOutputTokens ?? null;
  const sent = {
    ...request,
    ...(limit === null ? {} : { maxOutputTokens: limit })
  };
  const meter = new CallMeter(model, sent, reservation);
  let ended = false;
  let reported = false;
  const account = () => {
    if (!reported) {
      reported = true;
      onCall(meter.usage, meter.call);
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    for await (const event of model.generate(sent, signal)) {
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
    return meter.call.answer;
  } catch (error) {
    meter.fail(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', account);
    account();
  }
}
