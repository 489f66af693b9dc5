/** A model's answer as one text. */
import type { CallRoom } from './budget/budget';
import { RefineError } from '../errors';
import { CallMeter } from './budget/meter';
import type {
  ILanguageModel,
  ModelCall,
  ModelEvent,
  ModelRequest,
  Usage
} from '../domain/model';

export type Completing = {
  /** None: nothing limits the call. */
  readonly room?: CallRoom;
  /** Called once with what it cost and how it went, also when the call fails or is aborted. */
  readonly onCall: (usage: Usage, call: ModelCall) => void;
  readonly signal: AbortSignal;
  /** Called with each event and the whole text so far; false: that is enough, and the call ends. */
  readonly onEvent?: (event: ModelEvent, text: string) => boolean | void;
};

/**
 * What came before the room was used up, at most.
 *
 * @throws RefineError of the model, or the signal's reason.
 */
export async function completeText(
  model: ILanguageModel,
  request: Omit<ModelRequest, 'maxOutputTokens'>,
  { room, onCall, onEvent, signal }: Completing
): Promise<string> {
  const limit = room?.maxOutputTokens ?? null;
  const sent = {
    ...request,
    ...(limit === null ? {} : { maxOutputTokens: limit })
  };
  const meter = new CallMeter(model, sent, room);
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
      const goesOn = meter.take(event);
      const isEnough = onEvent?.(event, meter.call.answer) === false;
      if (!goesOn || isEnough) {
        ended = true;
        break;
      }
      ended ||= event.type === 'end';
    }
    if (!ended) {
      throw new RefineError(
        'model',
        'The answer ended too early: the model’s adapter sent no end event.',
        { code: 'stream-cut' }
      );
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
