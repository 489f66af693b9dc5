/** A frame of the user's code in which a debugger has stopped the kernel. */
export type PausedFrame = {
  /**
   * Evaluate a Python expression in the frame.
   *
   * @returns the `repr` of its value; rejects with what it raised, or when the debugger has gone on.
   */
  readonly evaluate: (expression: string) => Promise<string>;
  /** False as soon as the debugger has continued. */
  readonly isPaused: () => boolean;
  /**
   * Call back when the debugger has continued.
   *
   * @returns a function that unsubscribes.
   */
  readonly onContinued: (callback: () => void) => () => void;
  /** Names of its local variables. */
  readonly names: readonly string[];
};
