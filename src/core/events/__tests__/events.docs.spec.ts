/**
 * The document of the event stream keeps up with the events.
 *
 * @jest-environment node
 */
import { readFileSync } from 'fs';
import { resolve } from 'path';
import { eventSchema } from '../schema';
import { fold, initialState } from '../fold';
import { parseEvents } from '../journal';

const read = (name: string) => readFileSync(resolve('docs', name), 'utf8');

it('docs/examples/events.jsonl is a session of this version with a pass on attempt 2', () => {
  const events = parseEvents(read('examples/events.jsonl'));
  const state = events.reduce(fold, initialState(events[0].session));
  expect(state.phase).toBe('ended');
  expect(state.outcome).toMatchObject({ passed: true, attempts: 2 });
  expect(state.attempts.map(attempt => attempt.thoughts)).toEqual([
    'Add two.',
    'Multiply instead of adding.'
  ]);
  expect(state.outcome?.best?.candidate).toContain('return 2 * n');
});

describe('docs/events.md', () => {
  const rows = new Map(
    read('events.md')
      .split('\n')
      .map(line => line.split('|').map(cell => cell.trim()))
      .filter(cells => cells.length > 4)
      .map(([, type, fields]) => [type.replace(/`/g, ''), fields])
  );

  it.each(eventSchema.options.map(({ shape }) => [shape.type.value, shape]))(
    'names the fields of %s',
    (type, shape) => {
      const own = Object.keys(shape).filter(
        name => !['type', 'at', 'session'].includes(name)
      );
      const documented = [...(rows.get(type) ?? '').matchAll(/`(\w+)`/g)];
      expect(documented.map(match => match[1]).sort()).toEqual(own.sort());
    }
  );
});
