/** The built-in feedback strategies, in the order in which the settings list them. */
export const FEEDBACK_NAMES = [
  'auto',
  'raw',
  'diff',
  'summary',
  'locals',
  'score'
] as const;

export type FeedbackName = (typeof FEEDBACK_NAMES)[number];
