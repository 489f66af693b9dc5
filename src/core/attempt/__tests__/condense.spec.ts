import { FakeExecutor } from '../../../testing/fakeExecutor';
import type { FakeAnswer } from '../../../testing/fakeModel';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

const traceback = `Traceback\n${'  frame in a library\n'.repeat(100)}ValueError: bad row 7`;
const executor = () =>
  new FakeExecutor([
    {
      status: 'error',
      error: { name: 'ValueError', message: 'bad row 7', traceback }
    }
  ]);

async function play(evaluatorModel: ReturnType<typeof model>, options = {}) {
  const generator = model(answer('a'), answer('b'));
  const ended = await run(
    makeRequest({
      options: { feedback: 'summary', maxAttempts: 2, ...options }
    }),
    { generator, evaluatorModel, executor: executor() }
  );
  const { messages } = generator.requests[1] ?? { messages: [] };
  return { ...ended, feedback: messages[messages.length - 1]?.content ?? '' };
}

it('a long failure is condensed by a model, and paid for', async () => {
  const condenser = model('<think>hm</think>It raised ValueError: bad row 7.');
  const { feedback, outcome, state } = await play(condenser);
  expect(feedback).toContain('It raised ValueError: bad row 7.');
  expect(feedback).not.toContain('frame in a library');
  expect(condenser.requests[0].messages[1].content).toContain(
    'frame in a library'
  );
  // Nothing is condensed that no prompt will contain.
  expect(outcome.usage.calls).toBe(3);
  expect(state.attempts[0].usage.calls).toBe(2);
  expect(state.attempts[0].feedback?.strategy).toBe('summary');
});

it.each<[string, FakeAnswer]>([
  ['fails', [{ type: 'throw', error: new Error('gone') }]],
  ['says nothing', ''],
  ['says more than it was given', 'x'.repeat(20000)]
])('it is sent whole when the model %s', async (_, said) => {
  const { feedback, outcome } = await play(model(said));
  expect(feedback).toContain('frame in a library');
  expect(outcome).toMatchObject({ stopReason: 'max-attempts', attempts: 2 });
});

it('a short one is sent as it is', async () => {
  const condenser = model('never');
  const generator = model(answer('holds = 1'), answer('holds = 1, 2'));
  await run(makeRequest({ options: { feedback: 'summary' } }), {
    generator,
    evaluatorModel: condenser
  });
  expect(condenser.requests).toHaveLength(0);
  expect(JSON.stringify(generator.requests[1])).toContain('assert f(2)');
});

it('a stop while it is condensed keeps the verdict', async () => {
  const controller = new AbortController();
  const generator = model(answer('a'));
  const evaluatorModel = model([{ type: 'hang' }]);
  const { outcome, state } = await run(
    makeRequest({ options: { feedback: 'summary' } }),
    {
      generator,
      evaluatorModel,
      executor: executor(),
      signal: controller.signal
    },
    event => event.type === 'verdict-end' && controller.abort()
  );
  expect(outcome).toMatchObject({
    stopReason: 'stopped',
    best: { attempt: 1, score: 0 }
  });
  expect(state.attempts[0].failure).toBeNull();
  expect(evaluatorModel.active).toBe(0);
});
