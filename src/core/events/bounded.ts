/** What a state keeps of attempts, so that a long session stays small in memory. */
import { withinLimit } from '../domain/execution';
import type { RefineEvent } from './events';
import type { AttemptState } from './state';

/** Attempts whose rich outputs are kept in full, each up to 4 MB; of older ones what is small. */
const IN_FULL = 5;
const OLD_DISPLAYS_LIMIT = 100_000;

/** The attempts, the one that another pushes out of the newest with less; called for each that ends. */
export function bounded(
  attempts: readonly AttemptState[]
): readonly AttemptState[] {
  const old = attempts.at(-IN_FULL - 1);
  const execution = old?.execution;
  if (!execution || execution.displays.length === 0) {
    return attempts;
  }
  const displays = withinLimit(execution.displays, OLD_DISPLAYS_LIMIT);
  return attempts.map(attempt =>
    attempt === old
      ? { ...attempt, execution: { ...execution, displays } }
      : attempt
  );
}

/** An event with rich outputs of at most so many characters. */
export function withDisplays(event: RefineEvent, limit: number): RefineEvent {
  return event.type === 'execution-end'
    ? {
        ...event,
        execution: {
          ...event.execution,
          displays: withinLimit(event.execution.displays, limit)
        }
      }
    : event;
}
