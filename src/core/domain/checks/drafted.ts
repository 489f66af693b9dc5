/** Assertions that a model drafted, as events and panels show them. */

/** One drafted statement. Nobody has approved it: it overrules no assertion of the user's. */
export type DraftedAssertion = {
  /** Line in the drafted source, from 1; identifies it. */
  readonly line: number;
  readonly source: string;
  /** What the cell's own code gives where it does not pass; absent: it passes, or the cell holds no code yet. */
  readonly contradicted?: {
    /** Both as `repr`; absent where it is no comparison, or raised. */
    readonly expected?: string;
    readonly observed?: string;
    /** What it raised: `KeyError: 'a'`. */
    readonly error?: string;
  };
  /** Why it is useless, as a sentence; null when it can be offered. */
  readonly problem: string | null;
};

export type Drafts = {
  /** All of what the model wrote, set-up between the assertions included. */
  readonly source: string;
  readonly assertions: readonly DraftedAssertion[];
};
