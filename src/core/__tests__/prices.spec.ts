import { costOf, pricedUsage, pricesOf } from '../prices';

const identity = {
  profile: 'openai',
  model: 'gpt-4o-mini',
  host: 'api.openai.com',
  recorded: false
};
const usage = {
  calls: 1,
  promptTokens: 1000,
  completionTokens: 500,
  estimated: false,
  cost: null
};

it('is the profile’s own, else unknown: never a list price, never 0', () => {
  const own = { input: 1, output: 2 };
  expect(pricesOf({ identity, prices: own })).toBe(own);
  expect(pricesOf({ identity, prices: null })).toBeNull();
  expect(pricesOf({ identity })).toBeNull();
});

it('is nothing for recorded answers', () => {
  expect(pricesOf({ identity: { ...identity, recorded: true } })).toEqual({
    input: 0,
    output: 0
  });
});

it('fills in a cost that is open, and leaves one that is known', () => {
  const prices = { input: 1, output: 2 };
  expect(costOf(prices, 1e6, 1e6)).toBe(3);
  expect(pricedUsage(usage, prices).cost).toBeCloseTo(0.002);
  expect(pricedUsage(usage, null).cost).toBeNull();
  expect(pricedUsage({ ...usage, cost: 7 }, prices).cost).toBe(7);
});
