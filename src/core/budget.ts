/** What a session may use. Checked before each call, and reserved, so that calls in parallel cannot overrun it together. */
import type { Usage } from './model';

/** An answer with less room than this is not worth its prompt. */
const SMALLEST_ANSWER = 64;
/** Room kept for an answer whose length nobody limits. */
const USUAL_ANSWER = 16384;

export type Reservation = {
  /** Tokens the answer may have, null when the budget does not bind; send them with the call. */
  readonly maxOutputTokens: number | null;
  /** Give back what was reserved, once the call's usage was added or the call was not made. */
  readonly release: () => void;
};

export class Budget {
  /** @param maxTokens - prompts and answers together; null for no limit. */
  constructor(private readonly _maxTokens: number | null) {}

  /** Count what a call has used. */
  add(usage: Usage): void {
    this._used += usage.promptTokens + usage.completionTokens;
  }

  /**
   * Room for one call; null when there is not enough left for it.
   *
   * @param promptTokens - estimated tokens of the prompt.
   * @param maxOutputTokens - the user's own limit of an answer, if any.
   */
  reserve(
    promptTokens: number,
    maxOutputTokens: number | null
  ): Reservation | null {
    if (this._maxTokens === null) {
      return { maxOutputTokens, release: () => undefined };
    }
    const left = this._maxTokens - this._used - this._reserved - promptTokens;
    const wanted = maxOutputTokens ?? USUAL_ANSWER;
    if (left < Math.min(SMALLEST_ANSWER, wanted)) {
      return null;
    }
    const answer = Math.min(left, wanted);
    const reserved = promptTokens + answer;
    this._reserved += reserved;
    let released = false;
    return {
      maxOutputTokens: answer < wanted ? answer : maxOutputTokens,
      release: () => {
        if (!released) {
          released = true;
          this._reserved -= reserved;
        }
      }
    };
  }

  private _used = 0;
  private _reserved = 0;
}
