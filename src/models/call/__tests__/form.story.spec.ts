/** @jest-environment node */
import type { ModelRequest } from '../../../core/domain/model';
import {
  Bench,
  collect,
  failing,
  REQUEST,
  textOf
} from '../../__tests__/support';

type Mode = NonNullable<ModelRequest['schema']>['mode'];

const SCHEMA = { type: 'object', properties: { done: { type: 'boolean' } } };
const ANSWER = '{"evaluation": "PASS", "score": 9, "feedback": []}';

const asking = (mode: Mode): ModelRequest => ({
  ...REQUEST,
  schema: { name: 'judgement', schema: SCHEMA, mode }
});

let bench: Bench;
afterEach(() => bench.server.close());

const refusing = (...parameters: string[]) =>
  Bench.open([
    { times: 0, text: ANSWER, fault: { type: 'reject', parameters } }
  ]);

describe('an answer of a schema', () => {
  it.each<[Mode, object]>([
    [
      'json-schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'judgement', schema: SCHEMA }
        }
      }
    ],
    ['json-object', { response_format: { type: 'json_object' } }]
  ])('is asked for as %s', async (mode, form) => {
    bench = await Bench.open([{ text: ANSWER }]);
    const events = await collect(bench.model(), asking(mode));
    const { response_format } = bench.bodies[0];
    expect({ response_format }).toEqual(form);
    expect(textOf(events)).toBe(ANSWER);
  });

  it.each<[Mode, string]>([
    ['json-schema', 'response_format'],
    ['json-object', 'response_format']
  ])('refused as %s (%s) is refused to the caller', async (mode, name) => {
    bench = await refusing(name);
    for (const times of [1, 2]) {
      const { error, events } = await failing(bench.model(), asking(mode));
      expect(error.code).toBe('bad-request');
      expect(events).toEqual([]);
      expect(bench.bodies).toHaveLength(times);
    }
  });

  it('is refused although it was left out of another request', async () => {
    bench = await refusing('response_format');
    await collect(bench.model(), asking(undefined));
    const { error } = await failing(bench.model(), asking('json-object'));
    expect(error.code).toBe('bad-request');
  });
});
