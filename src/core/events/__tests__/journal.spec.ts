import { RefineError } from '../../errors';
import type { RefineEvent } from '../events';
import { parseEvents, stringifyEvent } from '../journal';

const hint: RefineEvent = {
  type: 'hint',
  at: 1,
  session: 's',
  text: 'ü\n🐍\u2028'
};

it('leaves out a last line that a crash cut off', () => {
  const line = stringifyEvent(hint);
  expect(parseEvents(line + line.slice(0, 20))).toEqual([hint]);
});

it.each([
  '{"type": "hint"\n',
  '{"type":"hint","at":1,"session":"s"}\n',
  '{"type":"party","at":1,"session":"s"}\n',
  '{"type":"hint","at":"x","session":"s","text":""}'
])('says which line is wrong: %j', line => {
  const read = () => parseEvents(stringifyEvent(hint) + line);
  expect(read).toThrow(RefineError);
  expect(read).toThrow('Line 2 of the event file is no event of this version');
});
