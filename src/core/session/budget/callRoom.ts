/** Room for a call outside of a session. */
import type { RefineOptions } from '../../options';
import type { ChatMessage, ILanguageModel } from '../../domain/model';
import { Budget, type Reservation } from './budget';
import { estimatePrompt } from './estimate';
import { pricesOf } from './prices';

/** Within a budget of its own, from the options; null when that has too little. */
export function callRoom(
  messages: readonly ChatMessage[],
  options: RefineOptions,
  model: ILanguageModel
): Reservation | null {
  return new Budget(options).reserve(
    estimatePrompt(messages),
    options.maxOutputTokens,
    pricesOf(model)
  );
}
