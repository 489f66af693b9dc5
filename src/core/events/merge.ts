/** Events of a burst as one event, which folds to the same. */
import type { RefineEvent } from './events';

export type DeltaEvent = Extract<RefineEvent, { type: 'candidate-delta' }>;

/** One delta with the effect of `first` followed by `second`, both of the same attempt. */
export function mergeDeltas(first: DeltaEvent, second: DeltaEvent): DeltaEvent {
  if (second.reset) {
    return second;
  }
  const merged = {
    ...second,
    thoughts: first.thoughts + second.thoughts,
    code: second.resetCode ? second.code : first.code + second.code
  };
  return {
    ...merged,
    ...(first.reset ? { reset: true } : {}),
    ...(first.resetCode || second.resetCode ? { resetCode: true } : {})
  };
}
