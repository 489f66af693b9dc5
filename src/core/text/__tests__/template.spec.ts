import { settingsSchema } from '../../settings';
import { PROMPT_SLOTS, fillTemplate, templateProblem } from '../template';

it('names a slot that is missing or unknown', () => {
  expect(
    templateProblem(
      'Do {{ task }}, see {{checks}}.',
      PROMPT_SLOTS.generatorPrompt
    )
  ).toBeNull();
  expect(templateProblem('  ', PROMPT_SLOTS.generatorPrompt)).toBeNull();
  expect(templateProblem('See {{checks}}.', PROMPT_SLOTS.generatorPrompt)).toBe(
    'the slot {{task}} is missing'
  );
  expect(templateProblem('{{task}}', PROMPT_SLOTS.evaluatorPrompt)).toBe(
    'the slot {{answer}} is missing'
  );
  expect(
    templateProblem('{{task}} {{tests}}', PROMPT_SLOTS.generatorPrompt)
  ).toMatch(
    /^there is no slot {{tests}}; slots are {{task}}, {{history}}, {{checks}}/
  );
});

it('puts values in as they are', () => {
  expect(fillTemplate('{{a}} {{ b }} {c}', { a: '{{b}} $& $1', b: 'x' })).toBe(
    '{{b}} $& $1 x {c}'
  );
});

it('is refused as a setting with the slot named', () => {
  expect(() => settingsSchema.parse({ generatorPrompt: 'Hello' })).toThrow(
    'the slot {{task}} is missing'
  );
});

it('gives a fenced value lines of its own', () => {
  const task = '```\nSort it.\n```';
  expect(
    fillTemplate('Do {{task}} in {{language}}.', { task, language: 'R' })
  ).toBe('Do \n\n```\nSort it.\n```\n\n in R.');
  expect(fillTemplate('Task:\n{{task}}\nGo.', { task })).toBe(
    `Task:\n${task}\nGo.`
  );
});
