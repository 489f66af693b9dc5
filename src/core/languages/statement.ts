/** A top-level statement of a cell, whatever its language. */

/** `check` can fail because a result is wrong; `set-up` prepares; `other` does work or shows something. */
export type StatementKind = 'check' | 'set-up' | 'other';

export type Statement = {
  readonly kind: StatementKind;
  /** From 1. */
  readonly line: number;
  /** Offsets of its text in the source. */
  readonly from: number;
  readonly to: number;
};
