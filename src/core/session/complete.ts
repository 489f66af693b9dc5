/** A model's answer as one text. */
import {
  Budget,
  costOf,
  estimatePrompt,
  pricesOf,
  tokensOf,
  type CallRoom
} from './budget/budget';
import { RefineError } from '../errors';
import type { CallPurpose } from '../events/events';
import type { RefineOptions } from '../settings';
import {
  type ILanguageModel,
  type ModelCall,
  type ModelEvent,
  type ModelRequest,
  type Usage,
  addUsage,
  NO_USAGE
} from '../domain/model';
import type { Session } from './session';
import { watched } from './watchedModel';

type Asked = Omit<ModelRequest, 'maxOutputTokens'>;

/** Gets each event and the whole text so far; false: that is enough, and the call ends. */
type OnEvent = (event: ModelEvent, text: string) => boolean | void;

/**
 * A call for an attempt of a session, which counts it and reports its waits; null where its budget has no room.
 *
 * @param most - tokens of the answer; default: the user's limit.
 * @throws RefineError of the model, or what the session's signal says.
 */
export async function completeFor(
  session: Session,
  attempt: number,
  purpose: CallPurpose,
  model: ILanguageModel,
  request: Asked,
  { onEvent, most }: { onEvent?: OnEvent; most?: number } = {}
): Promise<ModelCall | null> {
  const room = session.room(model, request.messages, most);
  const onCall = (usage: Usage, call: ModelCall) =>
    session.addCall(attempt, purpose, usage, call);
  const { signal } = session;
  return (
    room &&
    session.wait(
      completed(watched(model, session), request, room, {
        onCall,
        onEvent,
        signal
      })
    )
  );
}

export type CallDeps = {
  readonly model: ILanguageModel;
  readonly signal: AbortSignal;
  /** Called once with what it cost and how it went, also when the call fails or is aborted. */
  readonly onCall: (usage: Usage, call: ModelCall) => void;
};

/**
 * The answer to a call outside of a session, with a budget of its own from the options.
 *
 * @throws RefineError kind `budget` where that is too small, or of the model; or the signal's reason.
 */
export async function completeWithin(
  options: RefineOptions,
  request: Asked,
  { model, ...deps }: CallDeps,
  onEvent: OnEvent
): Promise<string> {
  const room = new Budget(options).room(
    estimatePrompt(request.messages),
    options.maxOutputTokens,
    pricesOf(model)
  );
  if (!room) {
    throw new RefineError(
      'budget',
      'The limits of the settings (maxTokens, maxCost) leave no room for an answer.',
      { code: 'budget' }
    );
  }
  const call = await completed(model, request, room, { ...deps, onEvent });
  return call.answer;
}

/**
 * What came before the room was used up, at most. Calls that the adapter made again
 * cost too: what it reports of them, or else from the characters that came.
 */
async function completed(
  model: ILanguageModel,
  request: Asked,
  room: CallRoom,
  {
    onCall,
    onEvent,
    signal
  }: Omit<CallDeps, 'model'> & { onEvent: OnEvent | undefined }
): Promise<ModelCall> {
  const limit = room.maxOutputTokens;
  const sent = {
    ...request,
    ...(limit === null ? {} : { maxOutputTokens: limit })
  };
  const prices = pricesOf(model);
  const promptTokens = estimatePrompt(request.messages);
  let answer = '';
  let reasoning = '';
  let finishReason: ModelCall['finishReason'] = null;
  /** As reported of the call, and of those before it that were made again. */
  let reported: Usage | null = null;
  let repeated = NO_USAGE;
  const estimated = (): Usage => ({
    calls: 1,
    promptTokens,
    completionTokens: tokensOf(answer.length + reasoning.length),
    estimated: true,
    cost: null
  });
  /** With its cost, where the provider's adapter left it open and the price is known. */
  const priced = (used: Usage): Usage =>
    used.cost !== null || prices === null
      ? used
      : {
          ...used,
          cost: costOf(prices, used.promptTokens, used.completionTokens)
        };
  const isSilent = () => answer === '' && reasoning === '';
  const usage = () => addUsage(repeated, priced(reported ?? estimated()));
  const made = (): ModelCall => ({
    model: model.identity,
    prompt: request.messages,
    temperature: request.temperature ?? null,
    maxOutputTokens: limit,
    answer,
    reasoning,
    finishReason
  });
  let accounted = false;
  const account = () => {
    if (!accounted) {
      accounted = true;
      onCall(usage(), made());
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    for await (const event of model.generate(sent, signal)) {
      if (event.type === 'text') {
        answer += event.text;
      } else if (event.type === 'reasoning') {
        reasoning += event.text;
      } else if (event.type === 'retry') {
        const unknown = event.usage === undefined && !isSilent();
        const voided = unknown ? estimated() : event.usage;
        repeated = voided ? addUsage(repeated, priced(voided)) : repeated;
        answer = reasoning = '';
      } else if (event.type === 'end') {
        ({ usage: reported, finishReason } = event);
      }
      // Cut here where the budget pays for no more.
      const isSpent = event.type !== 'end' && !room.covers(usage());
      finishReason = isSpent ? 'length' : finishReason;
      if (onEvent?.(event, answer) === false || isSpent) {
        break;
      }
    }
    return made();
  } catch (error) {
    if (error instanceof RefineError) {
      // A call that gave nothing is free.
      const free = isSilent() ? { ...NO_USAGE, calls: 1 } : null;
      reported ??= error.details.usage ?? free;
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', account);
    account();
  }
}
