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
  /** Costs the length of both; null when there is nothing new. */
  change(thoughts: string, code: string): ParseDelta | null {
    if (!thoughts.startsWith(this._thoughts)) {
      this._thoughts = thoughts;
      this._code = code;
      return { thoughts, code, reset: true };
    }
    return this.extend(thoughts.slice(this._thoughts.length), code);
  }

  /**
   * The same for thoughts that only grew: costs no more than what is new.
   *
   * @param code - the whole code; null when it is what it was.
   */
  extend(moreThoughts: string, code: string | null): ParseDelta | null {
    this._thoughts += moreThoughts;
    const before = this._code;
    if (code !== null && !code.startsWith(before)) {
      this._code = code;
      return { thoughts: moreThoughts, code, resetCode: true };
    }
    const moreCode = code === null ? '' : code.slice(before.length);
    this._code = code ?? before;
    return moreThoughts === '' && moreCode === ''
      ? null
      : { thoughts: moreThoughts, code: moreCode };
  }

  private _thoughts = '';
  private _code = '';
}

/** Text that is shown as it comes, without blanks around the whole of it. */
export class TrimmedText {
  /** What can be shown now of all that was appended; blanks at the end wait for what follows. */
  append(text: string): string {
    const all = this._held + (this._atStart ? text.trimStart() : text);
    const shown = all.trimEnd();
    this._held = all.slice(shown.length);
    this._atStart &&= shown === '';
    this._any ||= shown !== '';
    return shown;
  }

  /** What follows is a paragraph of its own. */
  paragraph(): void {
    this._held = this._any ? '\n\n' : '';
    this._atStart = true;
  }

  private _held = '';
  private _atStart = true;
  private _any = false;
}
