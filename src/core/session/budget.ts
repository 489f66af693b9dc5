/** What a session may use. Checked before each call, and reserved, so that calls in parallel cannot overrun it together. */
import type { ModelPrices, Usage } from '../domain/model';
import { costOf } from './prices';

/** The smallest room for an answer that justifies its prompt. */
const SMALLEST_ANSWER = 64;
/** Sums of money are compared up to this, USD. */
const ROUNDING = 1e-9;
/** Room kept for an answer without a length limit. */
const USUAL_ANSWER = 16384;

export type Reservation = {
  /** Tokens the answer may have, null when nothing limits it; send them with the call. */
  readonly maxOutputTokens: number | null;
  /** Whether the budget pays for what the call has used so far; reserves more where there is room. */
  readonly covers: (usage: Usage) => boolean;
  /** Give back what was reserved, once the call's usage was added or the call was not made. */
  readonly release: () => void;
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
   */
  reserve(
    promptTokens: number,
    maxOutputTokens: number | null,
    prices: ModelPrices | null = null
  ): Reservation | null {
    const room = Math.min(
      this._tokensLeft - promptTokens,
      this._outputTokensLeft(promptTokens, prices)
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
    return {
      maxOutputTokens: answer < wanted ? answer : maxOutputTokens,
      covers: used => holdFor(used.promptTokens, used.completionTokens),
      release: () => hold.release()
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

  /** Tokens of an answer that the money left pays for. */
  private _outputTokensLeft(
    promptTokens: number,
    prices: ModelPrices | null
  ): number {
    if (prices === null) {
      return Infinity;
    }
    const left = this._moneyLeft - costOf(prices, promptTokens, 0);
    if (left < 0) {
      return -1;
    }
    return prices.output === 0
      ? Infinity
      : Math.floor((left * 1e6) / prices.output);
  }

  private readonly _used: Amount = { tokens: 0, cost: 0 };
  private readonly _held: Amount = { tokens: 0, cost: 0 };
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
