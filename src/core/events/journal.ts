/** A session's events as JSON lines: what `--events` writes and what the panel shows again after a reload. */
import { RefineError } from '../errors';
import { withinLimit } from '../domain/execution';
import type { RefineEvent } from './events';
import { eventSchema } from './schema';

/** One line, line break included. */
export function stringifyEvent(event: RefineEvent): string {
  return `${JSON.stringify(event)}\n`;
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

/**
 * The events of a journal. A last line that is cut off, as a crash leaves it,
 * is left out.
 *
 * @throws RefineError kind `input` that names the line which is no event.
 */
export function parseEvents(text: string): RefineEvent[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index): RefineEvent[] => {
    if (line.trim() === '') {
      return [];
    }
    const where = `Line ${index + 1} of the event file`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      if (index === lines.length - 1) {
        return [];
      }
      const message = `${where} is not JSON: ${line.slice(0, 60)}`;
      throw new RefineError('input', message, { cause });
    }
    const { data, error } = eventSchema.safeParse(value);
    if (data) {
      return [data];
    }
    const [issue] = error.issues;
    const path = issue?.path.join('.');
    throw new RefineError(
      'input',
      `${where} is not an event of this version: ${path ? `${path}: ` : ''}${issue?.message ?? ''}`,
      { cause: error }
    );
  });
}
