import { FakeModel } from '../../../../testing/fakeModel';
import { addUsage } from '../../../domain/model';
import { pricedUsage, pricesOf } from '../prices';
import { makeRequest } from '../../../__tests__/requests';
import { answer, run } from '../../../__tests__/sessions';

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

it('is the profile’s, else the vendor’s list price, dated', () => {
  const own = { input: 0, output: 0 };
  expect(pricesOf({ identity, prices: own })).toBe(own);
  const listed = {
    input: 0.15,
    output: 0.6,
    listed: expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
  };
  expect(pricesOf({ identity, prices: null })).toEqual(listed);
  expect(pricesOf({ identity })).toEqual(listed);
});

it.each([
  ['a model that nobody listed', { model: 'gpt-4o-mini-2030' }],
  ['the name of something else', { model: 'toString' }],
  ['another host', { host: 'openai.example.org' }],
  ['a local model of the same name', { host: 'localhost:11434' }],
  ['another vendor’s host', { host: 'api.anthropic.com' }]
])('is unknown for %s, never 0', (_, other) => {
  expect(pricesOf({ identity: { ...identity, ...other } })).toBeNull();
});

it('says with a sum of costs that list prices are in it', () => {
  const listed = pricedUsage(usage, pricesOf({ identity }));
  expect(listed.cost).toBeCloseTo(0.00045);
  const own = pricedUsage(usage, { input: 1, output: 2 });
  expect(own).not.toHaveProperty('listed');
  expect(addUsage(own, own)).not.toHaveProperty('listed');
  expect(addUsage(own, listed).listed).toBe(listed.listed);
  expect(addUsage(listed, own)).toMatchObject({
    cost: expect.closeTo(0.00245),
    listed: listed.listed
  });
});

it('is nothing for recorded answers', () => {
  expect(pricesOf({ identity: { ...identity, recorded: true } })).toEqual({
    input: 0,
    output: 0
  });
});

it('a session counts with them, and ends at maxCost', async () => {
  const generator = new FakeModel([answer('a = 1'), answer('b = 2')], {
    identity: { host: 'api.openai.com', model: 'gpt-4o' },
    usage: { ...usage, promptTokens: 1000, completionTokens: 100 }
  });
  const { outcome, state } = await run(
    makeRequest({ options: { maxCost: 0.005, maxAttempts: 9 } }),
    { generator }
  );
  expect(outcome).toMatchObject({
    stopReason: 'budget',
    usage: { cost: expect.closeTo(0.0035), listed: expect.any(String) }
  });
  expect(state.warnings).toEqual([]);
});
