import fc from 'fast-check';
import { Budget } from '../budget';

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
  expect(budget.reserve(1e9, null)?.maxOutputTokens).toBeNull();
  expect(budget.reserve(1e9, 500)?.maxOutputTokens).toBe(500);
});

it('does not bind while there is plenty', () => {
  expect(tokens(100000).reserve(100, null)?.maxOutputTokens).toBeNull();
  expect(tokens(100000).reserve(100, 500)?.maxOutputTokens).toBe(500);
});

it('limits an answer to what is left, and refuses tiny ones', () => {
  const budget = tokens(1000);
  budget.add(usage(300, 100));
  expect(budget.reserve(200, null)?.maxOutputTokens).toBe(400);
  expect(budget.reserve(200, null)).toBeNull();
  expect(tokens(1000).reserve(950, null)).toBeNull();
  expect(tokens(1000).reserve(950, 40)?.maxOutputTokens).toBe(40);
});

it('gives a reservation back once', () => {
  const budget = tokens(1000);
  const reservation = budget.reserve(200, 500)!;
  expect(budget.reserve(200, 500)?.maxOutputTokens).toBe(100);
  reservation.release();
  reservation.release();
  expect(budget.reserve(100, 300)?.maxOutputTokens).toBe(300);
  expect(budget.reserve(100, 300)?.maxOutputTokens).toBe(200);
});

it('calls in parallel never overrun it together', () => {
  const call = fc.record({
    prompt: fc.nat(2000),
    limit: fc.option(fc.integer({ min: 1, max: 4000 }), { nil: null }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    early: fc.boolean()
  });
  fc.assert(
    fc.property(
      fc.nat(20000),
      fc.array(call, { maxLength: 20 }),
      (limit, calls) => {
        const budget = tokens(limit);
        let total = 0;
        const open: (() => void)[] = [];
        for (const { prompt, limit: own, used, early } of calls) {
          const reservation = budget.reserve(prompt, own);
          if (!reservation) {
            continue;
          }
          const room = reservation.maxOutputTokens ?? 16384;
          const end = () => {
            const completion = Math.floor(room * used);
            total += prompt + completion;
            budget.add(usage(prompt, completion));
            reservation.release();
          };
          if (early) {
            end();
          } else {
            open.push(end);
          }
        }
        open.forEach(end => end());
        expect(total).toBeLessThanOrEqual(limit);
      }
    )
  );
});

describe('money', () => {
  const prices = { input: 1, output: 10 };
  const dollars = (maxCost: number) => new Budget({ maxTokens: null, maxCost });

  it('limits an answer to what it pays for', () => {
    const budget = dollars(0.01);
    expect(budget.reserve(1000, null, prices)?.maxOutputTokens).toBe(900);
    expect(budget.reserve(1000, null, prices)).toBeNull();
    expect(dollars(0.01).reserve(1000, 100, prices)?.maxOutputTokens).toBe(100);
  });

  it('counts what was spent and what is held', () => {
    const budget = dollars(0.01);
    budget.add({ ...usage(0, 0), cost: 0.005 });
    budget.reserve(0, 100, prices);
    expect(budget.reserve(0, null, prices)?.maxOutputTokens).toBe(400);
    expect(dollars(0.01).reserve(20000, null, prices)).toBeNull();
  });

  it('refuses a prompt that alone costs too much', () => {
    const free = { input: 1, output: 0 };
    expect(dollars(0.01).reserve(10001, null, free)).toBeNull();
    expect(
      dollars(0.01).reserve(10000, null, free)?.maxOutputTokens
    ).toBeNull();
    expect(dollars(0.01).reserve(10001, 1, prices)).toBeNull();
  });

  it('is given back once', () => {
    const budget = dollars(0.01);
    const first = budget.reserve(0, 600, prices)!;
    budget.reserve(0, 200, prices);
    first.release();
    first.release();
    expect(budget.reserve(0, null, prices)?.maxOutputTokens).toBe(800);
  });

  it('has no effect where the price is unknown or 0', () => {
    const budget = dollars(0.01);
    budget.add(usage(1e6, 1e6));
    expect(budget.reserve(1e6, null, null)).not.toBeNull();
    expect(budget.reserve(1e6, null, { input: 0, output: 0 })).not.toBeNull();
  });
});
