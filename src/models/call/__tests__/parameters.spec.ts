/** @jest-environment node */
import type { ModelRequest } from '../../../core/domain/model';
import {
  Bench,
  collect,
  failing,
  FIB,
  ofType,
  REQUEST,
  textOf
} from '../../__tests__/support';

const FULL: ModelRequest = {
  ...REQUEST,
  temperature: 0.2,
  maxOutputTokens: 500,
  schema: { name: 'answer', schema: { type: 'object' } }
};

const SCHEMA = { type: 'object', properties: { done: { type: 'boolean' } } };
const ANSWER = '{"evaluation": "PASS", "score": 9, "feedback": []}';
const ASKING = {
  ...REQUEST,
  schema: { name: 'judgement', schema: SCHEMA }
};

let bench: Bench;
afterEach(() => bench.server.close());

const refusing = (...parameters: string[]) =>
  Bench.open([{ times: 0, text: FIB, fault: { type: 'reject', parameters } }]);

describe('a refused parameter', () => {
  it.each(['temperature', 'stream_options', 'response_format'])(
    '%s is dropped, and the request sent again',
    async name => {
      bench = await refusing(name);
      const events = await collect(bench.model(), FULL);
      expect(textOf(events)).toBe(FIB);
      expect(bench.bodies).toHaveLength(2);
      const { [name]: dropped, ...rest } = bench.bodies[0];
      expect(dropped).toBeDefined();
      expect(bench.bodies[1]).toEqual(rest);
      expect(ofType(events, 'warning')[0].message).toContain(
        `does not take ${name}`
      );
      expect(ofType(events, 'retry')).toEqual([]);
    }
  );

  it('max_tokens becomes max_completion_tokens', async () => {
    bench = await refusing('max_tokens');
    await collect(bench.model(), FULL);
    expect(bench.bodies[0]).toMatchObject({ max_tokens: 500 });
    expect(bench.bodies[1]).toMatchObject({ max_completion_tokens: 500 });
    expect(bench.bodies[1]).not.toHaveProperty('max_tokens');
  });

  it('max_completion_tokens, refused as well, is dropped', async () => {
    bench = await refusing('max_tokens', 'max_completion_tokens');
    await collect(bench.model(), FULL);
    expect(bench.bodies[2]).not.toHaveProperty('max_tokens');
    expect(bench.bodies[2]).not.toHaveProperty('max_completion_tokens');
  });

  it('is remembered for the model and reported once', async () => {
    bench = await refusing('temperature');
    await collect(bench.model(), FULL);
    const events = await collect(bench.model(), FULL);
    expect(bench.bodies).toHaveLength(3);
    expect(bench.bodies[2]).not.toHaveProperty('temperature');
    expect(ofType(events, 'warning')).toEqual([]);
  });

  it('is sent to another model', async () => {
    bench = await refusing('temperature');
    await collect(bench.model(), FULL);
    await collect(bench.model({}, { model: 'other' }), FULL);
    expect(bench.bodies[2]).toMatchObject({ model: 'other', temperature: 0.2 });
  });

  it('that was not sent leaves the refusal standing', async () => {
    bench = await Bench.open([
      {
        times: 0,
        fault: {
          type: 'status',
          status: 400,
          message: "Unsupported parameter: 'temperature'."
        }
      }
    ]);
    const { error } = await failing(bench.model());
    expect(error.code).toBe('bad-request');
    expect(bench.bodies).toHaveLength(1);
  });

  it.each([
    [
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 400 tokens and your request has 96 input tokens."
    ],
    [500, "create() got an unexpected keyword argument 'stream_options'"],
    [500, 'Failed to initialize samplers: failed to parse grammar']
  ])('drops what the words of a %i name', async (status, message) => {
    bench = await Bench.open([
      { times: 1, fault: { type: 'status', status, message } },
      { text: FIB }
    ]);
    const events = await collect(bench.model(), FULL);
    expect(textOf(events)).toBe(FIB);
    expect(ofType(events, 'retry')).toEqual([]);
  });
});

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
