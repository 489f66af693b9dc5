/** What is stored of a session that has ended: its events, without what must not leave this page. */
import { withinLimit } from '../../../core/domain/execution';
import type { RefineRequest } from '../../../core/domain/request';
import { withDisplays } from '../../../core/events/bounded';
import type { RefineEvent } from '../../../core/events/events';
import { stringifyEvent } from '../../../core/events/journal';

/** Largest stored session, characters. */
export const PAST_LIMIT = 1_000_000;

const DISPLAY_LIMIT = 100_000;

/** The events as they are stored; null where even the least is too long. */
export function pastText(events: readonly RefineEvent[]): string | null {
  const open = events.map(withoutSecrets);
  for (const less of [whole, withoutCalls, withoutOutput]) {
    const text = open.map(event => stringifyEvent(less(event))).join('');
    if (text.length <= PAST_LIMIT) {
      return text;
    }
  }
  return null;
}

/** No text of a hold-out or scorer, no name that they hide; requests hold no keys. */
function withoutSecrets(event: RefineEvent): RefineEvent {
  return event.type === 'session-start'
    ? { ...event, request: withoutHidden(event.request) }
    : event.type === 'checks-changed'
      ? { ...event, checks: withoutHidden(event.checks) }
      : event;
}

function withoutHidden<
  T extends Pick<RefineRequest, 'holdouts' | 'scorer' | 'hiddenNames'>
>(checks: T): T {
  const { holdouts, scorer, hiddenNames } = checks;
  return {
    ...checks,
    holdouts: holdouts.map(cell => ({ ...cell, source: '' })),
    ...(scorer ? { scorer: { ...scorer, source: '' } } : {}),
    ...(hiddenNames ? { hiddenNames: [] } : {})
  };
}

function whole(event: RefineEvent): RefineEvent {
  return withDisplays(event, DISPLAY_LIMIT);
}

/** Without the exact prompts and answers. */
function withoutCalls(event: RefineEvent): RefineEvent {
  return event.type === 'attempt-start'
    ? { ...event, prompt: [] }
    : event.type === 'model-call'
      ? { ...event, answer: '', reasoning: '' }
      : whole(event);
}

/** Nor with what was printed and shown. */
function withoutOutput(event: RefineEvent): RefineEvent {
  return event.type === 'execution-end'
    ? {
        ...event,
        execution: {
          ...event.execution,
          stdout: '',
          stderr: '',
          displays: withinLimit(event.execution.displays, 0)
        }
      }
    : withoutCalls(event);
}
