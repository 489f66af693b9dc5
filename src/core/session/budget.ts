/** What a session may use. Checked before each call, and reserved, so that calls in parallel cannot overrun it together. */
import type { ModelPrices, Usage } from '../domain/model';
import { costOf } from './prices';

/** The smallest room for an answer that justifies its prompt. */
const SMALLEST_ANSWER = 64;
/** Room kept for an answer without a length limit. */
const USUAL_ANSWER = 16384;

export type Reservation = {
  /** Tokens the answer may have, null when nothing limits it; send them with the call. */
  readonly maxOutputTokens: number | null;
  /** Tokens after which the answer is cut here, whatever the server does; null when nothing limits it. */
  readonly mostOutputTokens: number | null;
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
    this._tokens += usage.promptTokens + usage.completionTokens;
    this._cost += usage.cost ?? 0;
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
      this._tokensLeft(promptTokens),
      this._moneyLeft(promptTokens, prices)
    );
    const wanted = maxOutputTokens ?? USUAL_ANSWER;
    if (room < Math.min(SMALLEST_ANSWER, wanted)) {
      return null;
    }
    const answer = Math.min(room, wanted);
    return {
      maxOutputTokens: answer < wanted ? answer : maxOutputTokens,
      mostOutputTokens:
        room === Infinity && maxOutputTokens === null ? null : answer,
      release: this._hold(
        promptTokens + answer,
        prices ? costOf(prices, promptTokens, answer) : 0
      )
    };
  }

  private _tokensLeft(promptTokens: number): number {
    const { maxTokens } = this._limits;
    return maxTokens === null
      ? Infinity
      : maxTokens - this._tokens - this._heldTokens - promptTokens;
  }

  /** Tokens of an answer that the money left pays for. */
  private _moneyLeft(promptTokens: number, prices: ModelPrices | null): number {
    const { maxCost } = this._limits;
    if (maxCost === null || prices === null) {
      return Infinity;
    }
    const left =
      maxCost - this._cost - this._heldCost - costOf(prices, promptTokens, 0);
    if (left < 0) {
      return -1;
    }
    return prices.output === 0
      ? Infinity
      : Math.floor((left * 1e6) / prices.output);
  }

  private _hold(tokens: number, cost: number): () => void {
    this._heldTokens += tokens;
    this._heldCost += cost;
    let released = false;
    return () => {
      if (!released) {
        released = true;
        this._heldTokens -= tokens;
        this._heldCost -= cost;
      }
    };
  }

  private _tokens = 0;
  private _cost = 0;
  private _heldTokens = 0;
  private _heldCost = 0;
}
