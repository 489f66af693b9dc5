/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import fc from 'fast-check';
import { readFileSync } from 'fs';
import { join } from 'path';
import { SETTING_NAMES, type SettingName } from '../../../core/settingGroups';
import { settingsSchema } from '../../../core/settings';
import {
  isNullable,
  isNumeric,
  readLines,
  readNumber,
  readText,
  type SettingSchema
} from '../settingValue';

const { properties } = JSON.parse(
  readFileSync(join(__dirname, '../../../../schema/plugin.json'), 'utf8')
) as { properties: Record<SettingName, SettingSchema> };
const trans = nullTranslator.load('jupyterlab_refine');
const numeric = SETTING_NAMES.filter(name => isNumeric(properties[name]));

/** Texts of numbers around every bound, and texts of none. */
const typed = fc.oneof(
  fc.integer({ min: -2, max: 110 }).map(String),
  fc.double({ min: -3, max: 20, noNaN: true }).map(value => value.toFixed(2)),
  fc.constantFrom(
    '',
    ' ',
    'none',
    '1e3',
    '1000001',
    '2.0',
    '1,5',
    'Infinity',
    '١'
  ),
  fc.string({ maxLength: 4 })
);

it('takes exactly the numbers that the session takes', () => {
  expect(numeric.length).toBeGreaterThan(12);
  fc.assert(
    fc.property(fc.constantFrom(...numeric), typed, (name, text) => {
      const read = readNumber(text, properties[name], trans);
      if ('value' in read && read.value !== undefined) {
        expect(read.value).toBe(Number(text));
      }
      const empty = text.trim() === '';
      const session = settingsSchema.shape[name].safeParse(
        empty ? null : Number(text)
      );
      expect('value' in read).toBe(session.success);
    })
  );
});

it('says which numbers fit, and whether none is needed', () => {
  const problem = (name: SettingName, text: string) =>
    readNumber(text, properties[name], trans);
  expect(problem('maxAttempts', '0')).toEqual({
    problem: 'Enter a whole number from 1 to 100.'
  });
  expect(problem('attemptTimeout', '0')).toEqual({
    problem: 'Enter a number greater than 0.'
  });
  expect(problem('maxTokens', '0.5')).toEqual({
    problem: 'Enter a whole number, 1 or more. Or leave this empty.'
  });
  expect(problem('temperature', '3')).toEqual({
    problem: 'Enter a number from 0 to 2. Or leave this empty.'
  });
  expect(problem('maxTokens', ' ')).toEqual({ value: undefined });
});

it('takes exactly the templates that the session takes', () => {
  const slots = fc.constantFrom(
    '{{task}}',
    '{{answer}}',
    '{{ tsk }}',
    '',
    ' x '
  );
  const names = ['systemPrompt', 'generatorPrompt', 'evaluatorPrompt'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(slots, { maxLength: 4 }),
      (name, parts) => {
        const text = parts.join('');
        expect('value' in readText(name, text, trans)).toBe(
          settingsSchema.shape[name].safeParse(text).success
        );
      }
    )
  );
  expect(readText('evaluatorPrompt', '{{task}}', trans)).toEqual({
    problem: 'The slot {{answer}} is missing.'
  });
  expect(readText('generatorPrompt', '{{tsk}}', trans)).toMatchObject({
    problem: expect.stringContaining(
      'There is no slot {{tsk}}. Slots: {{task}},'
    )
  });
});

it('reads one entry from each line', () => {
  expect(readLines(' correctness \n\nspeed')).toEqual({
    value: ['correctness', 'speed']
  });
});

it('keeps a null that an earlier version has stored valid', () => {
  const nullable = SETTING_NAMES.filter(name => isNullable(properties[name]));
  expect(nullable).toEqual(
    SETTING_NAMES.filter(
      name => settingsSchema.shape[name].safeParse(null).success
    )
  );
  for (const name of nullable) {
    expect(properties[name]).not.toHaveProperty('default');
  }
});
