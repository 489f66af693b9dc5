import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel, fakeEnd, type FakeStep } from '../../../testing/fakeModel';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const options = { cutGeneration: true };

/** Text, and a model that would never end. */
const endless = (text: string): FakeStep[] => [
  { type: 'text', text },
  { type: 'hang' }
];

it('stops the model where its code cannot be right, with reason', async () => {
  const generator = model(
    endless(
      'A thought.\n\n```python\nholds = (1, 2\nfor x in y):\n    pass]\n'
    ),
    answer('holds = 1, 2')
  );
  const executor = new FakeExecutor(scored);
  const { outcome, state } = await run(makeRequest({ options }), {
    generator,
    executor
  });
  expect(executor.jobs).toHaveLength(1);
  expect(generator.active).toBe(0);
  expect(state.attempts[0]).toMatchObject({
    code: 'holds = (1, 2\nfor x in y):\n    pass]',
    failure: {
      code: 'syntax',
      message: 'Line 3 (`pass]`): `]` closes nothing.'
    },
    verdict: { evaluation: 'fail' },
    usage: { calls: 1, estimated: true }
  });
  expect(state.attempts[0].usage.completionTokens).toBeGreaterThan(10);
  const sent = generator.requests[1].messages.map(m => m.content).join();
  expect(sent).toContain('for x in y):');
  expect(sent).toContain(
    'Line 3 (`pass]`): `]` closes nothing. Write the complete cell again'
  );
  expect(outcome).toMatchObject({ passed: true, attempts: 2 });
});

it('stops what goes round in circles, and shows a part of it', async () => {
  const generator = model(
    endless(`\`\`\`python\n${'print("again and again")\n'.repeat(900)}`),
    answer('holds = 1, 2')
  );
  const { state, outcome } = await run(makeRequest({ options }), { generator });
  expect(state.attempts[0].failure?.code).toBe('runaway');
  expect(state.attempts[0].code.length).toBeLessThan(4100);
  expect(state.attempts[0].feedback?.text).toContain('went round in circles');
  expect(outcome.passed).toBe(true);
});

it('stops a line without end, in any language', async () => {
  const generator = model([
    { type: 'text', text: '```r\nx <- c(1' },
    ...Array.from({ length: 30 }, () => ({
      type: 'text' as const,
      text: ', 1'.repeat(3000)
    })),
    { type: 'hang' }
  ]);
  const { state } = await run(
    makeRequest({ language: 'r', options: { ...options, maxAttempts: 1 } }),
    { generator }
  );
  expect(state.attempts[0].failure).toEqual({
    code: 'runaway',
    message: 'The code was longer than 200000 characters and did not end.'
  });
});

it.each([
  ['is off unless asked for', { cutGeneration: false }, 'python', 'python'],
  ['knows no other language', options, 'r', 'r'],
  ['leaves a block alone that may be something else', options, 'python', '']
])('%s', async (_, chosen, language, label) => {
  const generator = new FakeModel([
    [
      { type: 'text', text: `\`\`\`${label}\nholds = 1, 2\ny = )\n` },
      { type: 'text', text: 'z = 1\n```\n' },
      fakeEnd()
    ]
  ]);
  const { state } = await run(makeRequest({ language, options: chosen }), {
    generator
  });
  expect(state.attempts[0]).toMatchObject({
    code: 'holds = 1, 2\ny = )\nz = 1',
    failure: null
  });
});

it('counts lines as the cell will have them', async () => {
  const generator = model(endless('```python\n\n%%refine\n\nx = 1\ny = )\n'));
  const { state } = await run(
    makeRequest({ options: { ...options, maxAttempts: 1 } }),
    { generator }
  );
  expect(state.attempts[0].failure?.message).toContain('Line 2 (`y = )`)');
});

it('a call that is made again is looked at anew', async () => {
  const generator = model(
    [
      { type: 'text', text: "```python\nx = '''\n" },
      { type: 'retry', reason: 'again', delayMs: 0 },
      { type: 'text', text: "```python\nx = '''it's'''\n" },
      { type: 'text', text: 'holds = 1, 2\n```\n' },
      fakeEnd()
    ],
    answer('holds = 1, 2')
  );
  const { outcome } = await run(makeRequest({ options }), { generator });
  expect(outcome).toMatchObject({ passed: true, attempts: 1 });
});

it('two different mistakes are not the same failure', async () => {
  const generator = model(
    endless('```python\nx = )\n'),
    endless('```python\ny = "a\n'),
    endless('```python\nz = ]\n'),
    answer('holds = 1, 2')
  );
  const { state, outcome } = await run(makeRequest({ options }), { generator });
  expect(state.restarts ?? []).toEqual([]);
  expect(outcome.passed).toBe(true);
});

it.each(['    def f(self):\n        return 2', 'def f(self):\n    return 2'])(
  'ends an answer behind the block of an indented part: %j',
  async text => {
    const generator = model(
      endless(`Two.\n\n\`\`\`python\n${text}\n\`\`\`\n\nThis`)
    );
    const source = 'class A:\n    def f(self):\n        return 1\n\na = A()';
    const executor = new FakeExecutor(({ candidate }) => ({
      assertions: [
        fakeAssertion({
          outcome: candidate.includes('return 2') ? 'passed' : 'failed'
        })
      ]
    }));
    const { state, outcome } = await run(
      makeRequest({ source, options, part: { first: 2, last: 3 } }),
      { generator, executor }
    );
    expect(outcome).toMatchObject({ passed: true, attempts: 1 });
    expect(state.attempts.at(-1)?.code).toBe(
      source.replace('return 1', 'return 2')
    );
    expect(generator.active).toBe(0);
  }
);
