/** What a session may use, checked before each of its calls and while an answer comes. */
import type {
  ModelPrices,
  Usage,
  ChatMessage,
  ILanguageModel
} from '../../domain/model';
import type { RefineOptions } from '../../settings';

/** The smallest room for an answer that justifies its prompt. */
const SMALLEST_ANSWER = 64;
const FREE: ModelPrices = { input: 0, output: 0 };
/** Sums of money are compared up to this, USD. */
const ROUNDING = 1e-9;
/** Tokens of an answer without a length limit, at most. */
export const USUAL_ANSWER = 16384;

/** Tokens counted from characters, for where no provider has reported them. */
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

/** What one call may use. */
export type CallRoom = {
  /** Tokens the answer may have, null when nothing limits it; send them with the call. */
  readonly maxOutputTokens: number | null;
  /** Whether the budget pays for what the call has used so far. */
  readonly covers: (usage: Usage) => boolean;
};

/** What the model's profile says; null when unknown, which is never taken for 0. */
export function pricesOf({
  identity,
  prices
}: Pick<ILanguageModel, 'identity' | 'prices'>): ModelPrices | null {
  return identity.recorded ? FREE : (prices ?? null);
}

/** Cost of tokens, USD. */
export function costOf(
  prices: ModelPrices,
  promptTokens: number,
  completionTokens: number
): number {
  return (promptTokens * prices.input + completionTokens * prices.output) / 1e6;
}

export class Budget {
  constructor({
    maxTokens,
    maxCost
  }: Pick<RefineOptions, 'maxTokens' | 'maxCost'>) {
    this._tokens = maxTokens ?? Infinity;
    this._money = maxCost ?? Infinity;
  }

  /** Count what a call has used; an unknown cost counts as none. */
  add(usage: Usage): void {
    this._tokens -= usage.promptTokens + usage.completionTokens;
    this._money -= usage.cost ?? 0;
  }

  /**
   * Room for one call; null when there is not enough left for it.
   *
   * @param promptTokens - estimated tokens of the prompt.
   * @param maxOutputTokens - the user's own limit of an answer, if any.
   * @param prices - null when unknown: then the limit of money cannot bind.
   */
  room(
    promptTokens: number,
    maxOutputTokens: number | null,
    prices: ModelPrices | null = null
  ): CallRoom | null {
    const known = prices ?? FREE;
    const money = (this._money - costOf(known, promptTokens, 0)) * 1e6;
    const left = Math.min(
      this._tokens - promptTokens,
      money < 0 ? -1 : known.output === 0 ? Infinity : money / known.output
    );
    const wanted = maxOutputTokens ?? USUAL_ANSWER;
    if (left < Math.min(SMALLEST_ANSWER, wanted)) {
      return null;
    }
    return {
      maxOutputTokens: left < wanted ? Math.floor(left) : maxOutputTokens,
      covers: used =>
        used.promptTokens + used.completionTokens <= this._tokens &&
        costOf(known, used.promptTokens, used.completionTokens) <=
          this._money + ROUNDING
    };
  }

  /** What is left, USD for money. */
  private _tokens: number;
  private _money: number;
}

/** Tokens of a text with so many characters. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function estimatePrompt(
  messages: readonly Pick<ChatMessage, 'content'>[]
): number {
  return messages.reduce(
    (sum, message) =>
      sum + TOKENS_PER_MESSAGE + tokensOf(message.content.length),
    0
  );
}
