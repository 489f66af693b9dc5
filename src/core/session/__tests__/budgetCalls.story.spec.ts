/** What the budget does to the calls of whole sessions. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { FakeModel, fakeEnd, type FakeStep } from '../../../testing/fakeModel';
import { RefineError, type RefineErrorCode } from '../../errors';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

/** A server that keeps no limit: text without an end, 4000 characters at a time. */
const endless = (start = ''): readonly FakeStep[] => [
  { type: 'text', text: start },
  ...Array.from({ length: 200 }, () => ({
    type: 'text' as const,
    text: 'x'.repeat(4000)
  })),
  fakeEnd()
];
/** Tokens of one such part. */
const PART = 1000;

const total = (usage: { promptTokens: number; completionTokens: number }) =>
  usage.promptTokens + usage.completionTokens;

describe('maxTokens bounds an answer whose length nobody limits', () => {
  it('of the model that writes', async () => {
    const generator = model(endless('```python\n'));
    const { outcome } = await run(
      makeRequest({ options: { maxTokens: 4000 } }),
      { generator }
    );
    expect(total(outcome.usage)).toBeLessThanOrEqual(4000 + PART);
    expect(outcome.stopReason).toBe('budget');
  });

  it('of a judge', async () => {
    const evaluatorModel = model(endless());
    const { outcome } = await run(
      makeRequest({
        options: { maxTokens: 20000, evaluators: ['assertions', 'judge'] }
      }),
      { generator: model(answer('holds = 1, 2')), evaluatorModel }
    );
    expect(evaluatorModel.requests[0]).not.toHaveProperty('maxOutputTokens');
    expect(total(outcome.usage)).toBeGreaterThan(15000);
    expect(total(outcome.usage)).toBeLessThanOrEqual(20000 + PART);
  });

  it('of a summary', async () => {
    const traceback = `Traceback\n${'  frame in a library\n'.repeat(100)}ValueError: no`;
    const error = { name: 'ValueError', message: 'no', traceback };
    const evaluatorModel = model(endless());
    const { outcome } = await run(
      makeRequest({
        options: { maxTokens: 2000, maxAttempts: 3, feedback: 'summary' }
      }),
      {
        executor: new FakeExecutor(() => ({ status: 'error', error })),
        generator: model(answer('a = 1'), answer('b = 1')),
        evaluatorModel
      }
    );
    expect(evaluatorModel.requests.length).toBeGreaterThan(0);
    expect(total(outcome.usage)).toBeLessThanOrEqual(2000 + PART);
  });
});

describe('a refused call', () => {
  it.each<RefineErrorCode>(['bad-request', 'unauthorized', 'model-not-found'])(
    'costs nothing: %s',
    async code => {
      const error = new RefineError('model', 'no', { code });
      const { outcome } = await run(makeRequest(), {
        generator: new FakeModel([[{ type: 'throw', error }]], {
          identity: { recorded: true }
        })
      });
      expect(outcome.stopReason).toBe('model-error');
      expect(outcome.usage).toEqual({
        calls: 1,
        promptTokens: 0,
        completionTokens: 0,
        estimated: false,
        cost: 0
      });
    }
  );

  it('of a judge that is asked in another form costs nothing', async () => {
    const error = new RefineError('model', 'no', { code: 'bad-request' });
    const { outcome } = await run(
      makeRequest({ options: { evaluators: ['assertions', 'judge'] } }),
      {
        generator: model(answer('holds = 1, 2')),
        evaluatorModel: new FakeModel(
          [[{ type: 'throw', error }], '{"evaluation": "PASS"}'],
          { identity: { model: 'refuses a form' } }
        )
      }
    );
    expect(outcome).toMatchObject({
      passed: true,
      usage: { calls: 3, promptTokens: 200, completionTokens: 100 }
    });
  });
});

it('a call that was made again counts twice', async () => {
  const { outcome } = await run(makeRequest({ options: { maxAttempts: 1 } }), {
    generator: model([
      { type: 'text', text: 'x'.repeat(400) },
      {
        type: 'retry',
        reason: 'broke off',
        delayMs: 1,
        usage: {
          calls: 1,
          promptTokens: 70,
          completionTokens: 90,
          estimated: false,
          cost: null
        }
      },
      { type: 'text', text: answer('holds = 1') },
      fakeEnd()
    ])
  });
  expect(outcome.usage).toMatchObject({
    calls: 2,
    promptTokens: 170,
    completionTokens: 140
  });
});
