/** A session's events as JSON lines: what `--events` writes and what the panel shows again after a reload. */
import { RefineError } from '../errors';
import type { RefineEvent } from './events';
import { eventSchema } from './schema';

/** One line, line break included. */
export function stringifyEvent(event: RefineEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** An event with the first rich outputs that fit into so many characters; of the others, their sizes. */
export function withDisplays(event: RefineEvent, limit: number): RefineEvent {
  if (event.type !== 'execution-end') {
    return event;
  }
  let room = limit;
  const displays = event.execution.displays.map(display => {
    const { length } = display.data;
    if (length > room) {
      return { ...display, data: '', leftOut: length };
    }
    room -= length;
    return display;
  });
  return { ...event, execution: { ...event.execution, displays } };
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
    try {
      return [eventSchema.parse(JSON.parse(line))];
    } catch (cause) {
      if (cause instanceof SyntaxError && index === lines.length - 1) {
        return [];
      }
      throw new RefineError(
        'input',
        `Line ${index + 1} of the event file is no event of this version: ${String(cause).slice(0, 200)}`,
        { cause }
      );
    }
  });
}
