/** A model's answer as one text. */
import {
  costOf,
  estimatePrompt,
  pricesOf,
  tokensOf,
  type CallRoom
} from './budget/budget';
import { RefineError } from '../errors';
import {
  type ILanguageModel,
  type ModelCall,
  type ModelEvent,
  type ModelRequest,
  type Usage,
  addUsage,
  NO_USAGE
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
 * What came before the room was used up, at most. Calls that the adapter made again
 * cost too: what it reports of them, or else from the characters that came.
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
  let accounted = false;
  const account = () => {
    if (!accounted) {
      accounted = true;
      onCall(usage(), {
        model: model.identity,
        prompt: request.messages,
        temperature: request.temperature ?? null,
        maxOutputTokens: limit,
        answer,
        reasoning,
        finishReason
      });
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    for await (const event of model.generate(sent, signal)) {
      switch (event.type) {
        case 'text':
          answer += event.text;
          break;
        case 'reasoning':
          reasoning += event.text;
          break;
        case 'retry': {
          const unknown = event.usage === undefined && !isSilent();
          const voided = unknown ? estimated() : event.usage;
          repeated = voided ? addUsage(repeated, priced(voided)) : repeated;
          answer = reasoning = '';
          break;
        }
        case 'end':
          ({ usage: reported, finishReason } = event);
          break;
        case 'reading':
        case 'warning':
          break;
      }
      // Cut here where the budget pays for no more.
      const isSpent = event.type !== 'end' && room?.covers(usage()) === false;
      finishReason = isSpent ? 'length' : finishReason;
      if (onEvent?.(event, answer) === false || isSpent) {
        break;
      }
    }
    return answer;
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
