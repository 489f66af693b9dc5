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
  const events: RefineEvent[] = [];
  lines.forEach((line, index) => {
    if (line.trim() === '') {
      return;
    }
    const value = parseLine(line, index, index === lines.length - 1);
    if (value !== undefined) {
      events.push(readEvent(value, index));
    }
  });
  return events;
}

function parseLine(line: string, index: number, last: boolean): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (cause) {
    if (last) {
      return undefined;
    }
    throw new RefineError(
      'input',
      `Line ${index + 1} of the event file is not JSON: ${line.slice(0, 60)}`,
      { cause }
    );
  }
}

function readEvent(value: unknown, index: number): RefineEvent {
  const read = eventSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = issue?.path.join('.');
    const where = path ? `${path}: ` : '';
    throw new RefineError(
      'input',
      `Line ${index + 1} of the event file is not an event of this version: ${where}${issue?.message ?? ''}`,
      { cause: read.error }
    );
  }
  return read.data;
}
