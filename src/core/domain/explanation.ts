import type { Usage } from './model';

/** An answer in words: it is never run or written into a notebook. */
export type Explanation = {
  /** In the user's words. */
  readonly question: string;
  /** Markdown, as the model wrote it. */
  readonly text: string;
  /** Of its call. */
  readonly usage: Usage;
};
