import { addUsage, NO_USAGE, type Usage } from '../model';

const usage = (parts: Partial<Usage> = {}): Usage => ({
  calls: 1,
  promptTokens: 10,
  completionTokens: 5,
  estimated: false,
  cost: 0.5,
  ...parts
});

it('usage adds up', () => {
  expect(addUsage(usage(), usage({ calls: 2, promptTokens: 1 }))).toEqual({
    calls: 3,
    promptTokens: 11,
    completionTokens: 10,
    estimated: false,
    cost: 1
  });
});

it('one estimate makes the sum an estimate', () => {
  expect(addUsage(usage(), usage({ estimated: true })).estimated).toBe(true);
  expect(addUsage(usage({ estimated: true }), usage()).estimated).toBe(true);
});

it('one unknown cost of a call makes the sum unknown', () => {
  const unknown = usage({ cost: null });
  expect(addUsage(usage(), unknown).cost).toBeNull();
  expect(addUsage(unknown, usage()).cost).toBeNull();
  expect(addUsage(NO_USAGE, unknown).cost).toBeNull();
  expect(addUsage(unknown, NO_USAGE).cost).toBeNull();
  const uncalled = usage({ calls: 0, cost: null });
  expect(addUsage(uncalled, usage()).cost).toBe(0.5);
  expect(addUsage(usage(), uncalled).cost).toBe(0.5);
});
