/** A flag of the command line, as the help shows it. */
export type Flag = {
  readonly flag: string;
  /** Placeholder in the help; empty for a flag without value. */
  readonly value: string;
  readonly description: string;
  readonly multiple?: boolean;
  /** Only for `run`. */
  readonly runOnly?: boolean;
  /** Only for `check`. */
  readonly checkOnly?: boolean;
};
