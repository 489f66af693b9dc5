/** What to append to what was shown before. */

/** The resets mean the same as in the event `candidate-delta`. */
export type ParseDelta = {
  readonly thoughts: string;
  readonly code: string;
  readonly reset?: boolean;
  readonly resetCode?: boolean;
};

/** Remembers what was shown, and tells the way from there. */
export class Shown {
  /** Null when there is nothing new. */
  change(thoughts: string, code: string): ParseDelta | null {
    const before = { thoughts: this._thoughts, code: this._code };
    this._thoughts = thoughts;
    this._code = code;
    if (!thoughts.startsWith(before.thoughts)) {
      return { thoughts, code, reset: true };
    }
    const moreThoughts = thoughts.slice(before.thoughts.length);
    if (!code.startsWith(before.code)) {
      return { thoughts: moreThoughts, code, resetCode: true };
    }
    const moreCode = code.slice(before.code.length);
    return moreThoughts === '' && moreCode === ''
      ? null
      : { thoughts: moreThoughts, code: moreCode };
  }

  private _thoughts = '';
  private _code = '';
}
