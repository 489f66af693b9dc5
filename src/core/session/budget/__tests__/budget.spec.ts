import { Budget, pricesOf } from '../budget';
import { FakeExecutor } from '../../../../testing/fakeExecutor';
import { fakeEnd, type FakeStep } from '../../../../testing/fakeModel';
import { makeRequest } from '../../../__tests__/requests';
import { answer, model, run } from '../../../__tests__/sessions';

const tokens = (maxTokens: number | null) =>
  new Budget({ maxTokens, maxCost: null });

const usage = (promptTokens: number, completionTokens: number) => ({
  calls: 1,
  promptTokens,
  completionTokens,
  estimated: false,
  cost: null
});

it('without a limit leaves the user’s own limit of an answer', () => {
  const budget = tokens(null);
  expect(budget.room(1e9, null)?.maxOutputTokens).toBeNull();
  expect(budget.room(1e9, 500)?.maxOutputTokens).toBe(500);
});

it('does not bind while there is plenty', () => {
  expect(tokens(100000).room(100, null)?.maxOutputTokens).toBeNull();
  expect(tokens(100000).room(100, 500)?.maxOutputTokens).toBe(500);
});

it('limits an answer to what is left, and refuses tiny ones', () => {
  const budget = tokens(1000);
  budget.add(usage(300, 100));
  expect(budget.room(200, null)?.maxOutputTokens).toBe(400);
  expect(tokens(1000).room(950, null)).toBeNull();
  expect(tokens(1000).room(950, 40)?.maxOutputTokens).toBe(40);
});

it('has the prices of the profile, and none for recorded answers', () => {
  const identity = { profile: 'p', model: 'm', host: 'h', recorded: false };
  const prices = { input: 1, output: 2 };
  expect(pricesOf({ identity, prices })).toBe(prices);
  expect(pricesOf({ identity })).toBeNull();
  const recorded = { ...identity, recorded: true };
  expect(pricesOf({ identity: recorded, prices })?.output).toBe(0);
});

describe('money', () => {
  const prices = { input: 1, output: 10 };
  const dollars = (maxCost: number) => new Budget({ maxTokens: null, maxCost });

  it('limits an answer to what it pays for', () => {
    const budget = dollars(0.01);
    expect(budget.room(1000, null, prices)?.maxOutputTokens).toBe(900);
    expect(dollars(0.01).room(1000, 100, prices)?.maxOutputTokens).toBe(100);
  });

  it('counts what was spent', () => {
    const budget = dollars(0.01);
    budget.add({ ...usage(0, 0), cost: 0.005 });
    expect(budget.room(0, null, prices)?.maxOutputTokens).toBe(500);
    expect(dollars(0.01).room(20000, null, prices)).toBeNull();
  });

  it('refuses a prompt that alone costs too much', () => {
    const free = { input: 1, output: 0 };
    expect(dollars(0.01).room(10001, null, free)).toBeNull();
    expect(dollars(0.01).room(10000, null, free)?.maxOutputTokens).toBeNull();
    expect(dollars(0.01).room(10001, 1, prices)).toBeNull();
  });

  it('has no effect where the price is unknown or 0', () => {
    const budget = dollars(0.01);
    budget.add(usage(1e6, 1e6));
    expect(budget.room(1e6, null, null)).not.toBeNull();
    expect(budget.room(1e6, null, { input: 0, output: 0 })).not.toBeNull();
  });
});

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
