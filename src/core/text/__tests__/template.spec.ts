import { judgeMessages } from '../../evaluators/judgePrompt';
import { settingsSchema } from '../../settings';
import { buildMessages } from '../../prompts/prompts';
import {
  EVALUATOR_SLOTS,
  fillTemplate,
  GENERATOR_SLOTS,
  templateProblem
} from '../template';
import { visibleRequest } from '../../domain/visible';
import { makeRequest } from '../../__tests__/requests';

it('names a slot that is missing or unknown', () => {
  expect(
    templateProblem('Do {{ task }}, see {{checks}}.', GENERATOR_SLOTS)
  ).toBeNull();
  expect(templateProblem('  ', GENERATOR_SLOTS)).toBeNull();
  expect(templateProblem('See {{checks}}.', GENERATOR_SLOTS)).toBe(
    'the slot {{task}} is missing'
  );
  expect(templateProblem('{{task}}', EVALUATOR_SLOTS)).toBe(
    'the slot {{answer}} is missing'
  );
  expect(templateProblem('{{task}} {{tests}}', GENERATOR_SLOTS)).toMatch(
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

it('replaces the writer’s prompt; the rules of the answer stay', () => {
  const generatorPrompt =
    'In {{language}}: {{task}}\nChecks:\n{{checks}}\n{{variables}}';
  const [system, user, ...rest] = buildMessages(
    makeRequest({ options: { generatorPrompt } })
  );
  expect(user.content).toBe(
    'In Python: Write fibonacci(n).\nChecks:\n```python\nassert fibonacci(1) == 1\nassert fibonacci(10) == 55\n```\n'
  );
  expect(system).toEqual(buildMessages(makeRequest())[0]);
  expect(rest).toEqual([]);
});

it('replaces the judge’s prompt; the form of its answer stays', () => {
  const request = makeRequest({
    options: { evaluatorPrompt: 'T {{task}} A {{answer}} C {{criteria}}' }
  });
  const input = {
    request: visibleRequest(request),
    candidate: 'x = 1',
    execution: null
  };
  const { content } = judgeMessages(input, ['speed'])[1];
  expect(content).toMatch(
    /^T \n\n```\nWrite fibonacci\(n\)\.\n```\n\n A \n\n```python\nx = 1\n```\n\n C - speed\n\nAnswer with one JSON object/
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
