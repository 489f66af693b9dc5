/** What the budget does to the calls of whole sessions. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { fakeEnd, type FakeStep } from '../../../testing/fakeModel';
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
