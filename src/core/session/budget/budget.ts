/** What a session may use. Checked before each call, and reserved, so that calls in parallel cannot overrun it together. */
import type {
  ModelPrices,
  Usage,
  ChatMessage,
  ILanguageModel
} from '../../domain/model';
import { costOf, pricesOf } from './prices';
import type { RefineOptions } from '../../options';
import { estimatePrompt } from './estimate';

/** The smallest room for an answer that justifies its prompt. */
const SMALLEST_ANSWER = 64;
const FREE: ModelPrices = { input: 0, output: 0 };
/** Sums of money are compared up to this, USD. */
const ROUNDING = 1e-9;
/** Room kept for an answer without a length limit. */
export const USUAL_ANSWER = 16384;

export type Reservation = {
  /** Tokens the answer may have, null when nothing limits it; send them with the call. */
  readonly maxOutputTokens: number | null;
  /** Whether the budget pays for what the call has used so far; reserves more where there is room. */
  readonly covers: (usage: Usage) => boolean;
  /** Give back what was reserved, once the call's usage was added or the call was not made. */
  readonly release: () => void;
  /** Give back what was kept for the call that follows. */
  readonly releaseNext: () => void;
};

/** A call that the answer of another leads to, and that must be paid for as well. */
export type NextCall = {
  /** Of its prompt, without the answer. */
  readonly promptTokens: number;
  /** Of the answer that its prompt holds, at most. */
  readonly mostOfAnswer: number;
  /** Of its own answer. */
  readonly outputTokens: number;
  readonly prices: ModelPrices | null;
};

export type BudgetLimits = {
  /** Prompts and answers together; null for no limit. */
  readonly maxTokens: number | null;
  /** USD; null for no limit. */
  readonly maxCost: number | null;
};

export class Budget {
  constructor(private readonly _limits: BudgetLimits) {}

  /** Count what a call has used; an unknown cost counts as none. */
  add(usage: Usage): void {
    this._used.tokens += usage.promptTokens + usage.completionTokens;
    this._used.cost += usage.cost ?? 0;
  }

  /**
   * Room for one call; null when there is not enough left for it.
   *
   * @param promptTokens - estimated tokens of the prompt.
   * @param maxOutputTokens - the user's own limit of an answer, if any.
   * @param prices - null when unknown: then the limit of money cannot bind.
   * @param next - a call that follows; kept free for it until `releaseNext`.
   */
  reserve(
    promptTokens: number,
    maxOutputTokens: number | null,
    prices: ModelPrices | null = null,
    next: NextCall | null = null
  ): Reservation | null {
    const room = Math.min(
      this._tokensFor(promptTokens, next),
      this._moneyFor(promptTokens, prices, next)
    );
    const wanted = maxOutputTokens ?? USUAL_ANSWER;
    if (room < Math.min(SMALLEST_ANSWER, wanted)) {
      return null;
    }
    const answer = Math.min(room, wanted);
    const hold = new Hold(this._held);
    const holdFor = (prompt: number, completion: number) =>
      hold.raise(
        prompt + completion,
        prices ? costOf(prices, prompt, completion) : 0,
        this._tokensLeft,
        this._moneyLeft
      );
    holdFor(promptTokens, answer);
    const nextHold = new Hold(this._held);
    if (next) {
      const prompt = next.promptTokens + Math.min(answer, next.mostOfAnswer);
      nextHold.raise(
        prompt + next.outputTokens,
        next.prices ? costOf(next.prices, prompt, next.outputTokens) : 0,
        Infinity,
        Infinity
      );
    }
    return {
      maxOutputTokens: answer < wanted ? answer : maxOutputTokens,
      covers: used => holdFor(used.promptTokens, used.completionTokens),
      release: () => hold.release(),
      releaseNext: () => nextHold.release()
    };
  }

  private get _tokensLeft(): number {
    return (
      (this._limits.maxTokens ?? Infinity) -
      this._used.tokens -
      this._held.tokens
    );
  }

  private get _moneyLeft(): number {
    return (
      (this._limits.maxCost ?? Infinity) - this._used.cost - this._held.cost
    );
  }

  /** Tokens of an answer that the tokens left allow. */
  private _tokensFor(promptTokens: number, next: NextCall | null): number {
    return affordable(
      this._tokensLeft -
        promptTokens -
        (next ? next.promptTokens + next.outputTokens : 0),
      1,
      next ? 1 : 0,
      next?.mostOfAnswer ?? 0
    );
  }

  /** Tokens of an answer that the money left pays for. */
  private _moneyFor(
    promptTokens: number,
    prices: ModelPrices | null,
    next: NextCall | null
  ): number {
    const { input, output } = prices ?? FREE;
    const later = next?.prices ?? FREE;
    const ofNext = next
      ? costOf(later, next.promptTokens, next.outputTokens)
      : 0;
    const left =
      this._moneyLeft - costOf({ input, output }, promptTokens, 0) - ofNext;
    return affordable(
      left * 1e6,
      output,
      next ? later.input : 0,
      next?.mostOfAnswer ?? 0
    );
  }

  private readonly _used: Amount = { tokens: 0, cost: 0 };
  private readonly _held: Amount = { tokens: 0, cost: 0 };
}

/**
 * Tokens of an answer that `left` pays for, where each costs `each` and the
 * first `most` of them cost `again` once more; negative where not even 0 are.
 */
function affordable(
  left: number,
  each: number,
  again: number,
  most: number
): number {
  if (left < 0) {
    return -1;
  }
  const per = (cost: number, rest: number) =>
    cost === 0 ? (rest < 0 ? -1 : Infinity) : Math.floor(rest / cost);
  const few = per(each + again, left);
  return few <= most ? few : per(each, left - again * most);
}

type Amount = { tokens: number; cost: number };

/** What one call holds of the budget until it is over. */
class Hold {
  constructor(private readonly _all: Amount) {}

  /** Hold at least so much, if the rest of the budget pays for what is new. */
  raise(
    tokens: number,
    cost: number,
    tokensLeft: number,
    moneyLeft: number
  ): boolean {
    if (this._released) {
      return false;
    }
    const moreTokens = Math.max(0, tokens - this._own.tokens);
    const moreCost = Math.max(0, cost - this._own.cost);
    if (moreTokens > tokensLeft || moreCost > moneyLeft + ROUNDING) {
      return false;
    }
    this._add(moreTokens, moreCost);
    return true;
  }

  release(): void {
    this._released = true;
    this._add(-this._own.tokens, -this._own.cost);
  }

  private _add(tokens: number, cost: number): void {
    this._own.tokens += tokens;
    this._own.cost += cost;
    this._all.tokens += tokens;
    this._all.cost += cost;
  }

  private readonly _own: Amount = { tokens: 0, cost: 0 };
  private _released = false;
}

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
