import { RefineError } from '../errors';
import { parseSettings, settingNames } from '../parseSettings';

const defaults = parseSettings({}, 'the settings');

it('fills in the defaults', () => {
  expect(defaults).toMatchObject({
    maxAttempts: 5,
    attemptTimeout: 30,
    sessionTimeout: 600,
    feedback: 'auto'
  });
  expect(parseSettings(undefined, 'x')).toEqual(defaults);
  expect(parseSettings({ maxAttempts: 7 }, 'x').maxAttempts).toBe(7);
  expect(settingNames).toContain('onPass');
});

it.each([
  [
    { maxAttempts: 'five' },
    'cell 7: maxAttempts cannot be "five". It must be a number.'
  ],
  [
    { maxAttempts: 1.5 },
    'cell 7: maxAttempts cannot be 1.5. It must be a whole number.'
  ],
  [
    { maxAttempts: 0 },
    'cell 7: maxAttempts cannot be 0. It must be at least 1.'
  ],
  [
    { maxAttempts: 101 },
    'cell 7: maxAttempts cannot be 101. It must be at most 100.'
  ],
  [
    { attemptTimeout: 0 },
    'cell 7: attemptTimeout cannot be 0. It must be greater than 0.'
  ],
  [
    { feedback: 'loud' },
    /cell 7: feedback cannot be "loud". It must be one of auto, raw, diff/
  ],
  [
    { allowNetwork: 'yes' },
    'cell 7: allowNetwork cannot be "yes". It must be true or false.'
  ],
  [
    { maxAttemps: 3 },
    'cell 7: there is no setting maxAttemps. Did you mean maxAttempts?'
  ],
  [
    { 'max-attempts': 3 },
    'cell 7: there is no setting max-attempts. Did you mean maxAttempts?'
  ],
  [
    { colour: 3 },
    /cell 7: there is no setting colour. Settings are: generatorModel, /
  ],
  [[], 'cell 7: settings must be an object of names and values.']
])('explains %j', (input, message) => {
  const read = () => parseSettings(input, 'cell 7');
  expect(read).toThrow(RefineError);
  expect(read).toThrow(message);
});
