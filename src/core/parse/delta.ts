/** What to append to what was shown before. */

/** The resets mean the same as in the event `candidate-delta`. */
export type ParseDelta = {
  readonly thoughts: string;
  readonly code: string;
  readonly reset?: boolean;
  readonly resetCode?: boolean;
};

/** Remembers what was shown, and returns the change from there. */
export class Shown {
  /** Null when there is nothing new. */
  change(thoughts: string, code: string): ParseDelta | null {
    const [oldThoughts, oldCode] = [this._thoughts, this._code];
    this._thoughts = thoughts;
    this._code = code;
    if (!thoughts.startsWith(oldThoughts)) {
      return { thoughts, code, reset: true };
    }
    const more = thoughts.slice(oldThoughts.length);
    return !code.startsWith(oldCode)
      ? { thoughts: more, code, resetCode: true }
      : more === '' && code === oldCode
        ? null
        : { thoughts: more, code: code.slice(oldCode.length) };
  }

  private _thoughts = '';
  private _code = '';
}
