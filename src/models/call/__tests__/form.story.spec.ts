/** @jest-environment node */
import { Bench, collect, REQUEST, textOf } from '../../__tests__/support';

const SCHEMA = { type: 'object', properties: { done: { type: 'boolean' } } };
const ANSWER = '{"evaluation": "PASS", "score": 9, "feedback": []}';
const ASKING = {
  ...REQUEST,
  schema: { name: 'judgement', schema: SCHEMA }
};

let bench: Bench;
afterEach(() => bench.server.close());

it('asks for an answer of a schema', async () => {
  bench = await Bench.open([{ text: ANSWER }]);
  expect(textOf(await collect(bench.model(), ASKING))).toBe(ANSWER);
  expect(bench.bodies[0].response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'judgement', schema: SCHEMA }
  });
});

it('asks without it where a server refuses it in words of its own', async () => {
  bench = await Bench.open([
    {
      fault: {
        type: 'status',
        status: 400,
        message: 'This model does not support structured outputs.'
      }
    },
    { times: 0, text: ANSWER }
  ]);
  for (const requests of [2, 3]) {
    expect(textOf(await collect(bench.model(), ASKING))).toBe(ANSWER);
    expect(bench.bodies).toHaveLength(requests);
    expect(bench.bodies.at(-1)).not.toHaveProperty('response_format');
  }
});
