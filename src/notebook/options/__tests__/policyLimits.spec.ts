/** @jest-environment node */
import { settingsSchema } from '../../../core/settings';
import { readCellOptions, resolveOptions } from '../cellOptions';
import { limitByPolicy } from '../policyLimits';

const NONE = { maxAttempts: null, maxTokens: null, sessionTimeout: null };
const user = settingsSchema.parse({ maxAttempts: 8 });

it('changes nothing without a limit, or below it', () => {
  expect(limitByPolicy(user, NONE)).toEqual({ options: user, notes: [] });
  expect(
    limitByPolicy(user, { ...NONE, maxAttempts: 8, sessionTimeout: 601 })
  ).toEqual({ options: user, notes: [] });
});

it('lowers each option above its limit, and reports it', () => {
  const { options, notes } = limitByPolicy(user, {
    maxAttempts: 3,
    maxTokens: 1000,
    sessionTimeout: 60
  });
  expect(options).toEqual({
    ...user,
    maxAttempts: 3,
    maxTokens: 1000,
    sessionTimeout: 60
  });
  expect(notes).toEqual([
    'Option maxAttempts = 8 is above this server’s limit of 3. Refine uses the limit.',
    'This server limits option maxTokens to 1000.',
    'Option sessionTimeout = 600 is above this server’s limit of 60. Refine uses the limit.'
  ]);
});

it('is not raised again by a cell', () => {
  const { options } = limitByPolicy(user, { ...NONE, maxAttempts: 3 });
  const cell = readCellOptions({ maxAttempts: 7 }, []);
  expect(resolveOptions(options, cell).options.maxAttempts).toBe(3);
});
