import { RefineError } from '../../errors';
import type { RefineEvent } from '../events';
import { parseEvents, stringifyEvent } from '../journal';
import { makeRequest } from '../../__tests__/requests';
import { run } from '../../__tests__/sessions';

const hint: RefineEvent = {
  type: 'hint',
  at: 1,
  session: 's',
  text: 'ü\n🐍\u2028'
};

it('reads what it wrote, one line an event', async () => {
  const { events } = await run(makeRequest({ source: 'x = 1' }));
  const lines = events.map(stringifyEvent);
  expect(lines.every(line => line.indexOf('\n') === line.length - 1)).toBe(
    true
  );
  expect(parseEvents(lines.join(''))).toEqual(events);
  expect(parseEvents(stringifyEvent(hint) + '\n\r\n')).toEqual([hint]);
});

it('leaves out a last line that a crash cut off', () => {
  const line = stringifyEvent(hint);
  expect(parseEvents(line + line.slice(0, 20))).toEqual([hint]);
});

it.each([
  [
    '{"type": "hint"\n',
    'Line 2 of the event file is not JSON: {"type": "hint"'
  ],
  [
    '{"type":"hint","at":1,"session":"s"}\n',
    'Line 2 of the event file is not an event of this version: text: '
  ],
  [
    '{"type":"party","at":1,"session":"s"}\n',
    'Line 2 of the event file is not an event of this version: type: '
  ],
  ['{"type":"hint","at":"x","session":"s","text":""}', 'version: at: ']
])('says which line is wrong: %j', (line, message) => {
  const read = () => parseEvents(stringifyEvent(hint) + line);
  expect(read).toThrow(RefineError);
  expect(read).toThrow(message);
});
