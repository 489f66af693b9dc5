/** @jest-environment node */
import { JudgeEvaluator } from '../../../core/evaluators/judge';
import type { ModelRequest } from '../../../core/domain/model';
import { makeRequest } from '../../../core/__tests__/requests';
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

describe('a judge over HTTP', () => {
  let judges = 0;
  const judge = () =>
    new JudgeEvaluator({
      onCall: () => undefined,
      // A name of its own: what a model takes is remembered.
      model: bench.model({}, { model: `judge-${judges++}` }),
      criteria: []
    }).evaluate(
      {
        request: makeRequest(),
        attempt: 1,
        candidate: 'x = 1',
        execution: null
      },
      () => undefined,
      new AbortController().signal
    );

  it.each([
    { refused: [], forms: ['json_schema'] },
    {
      refused: ['response_format'],
      forms: ['json_schema', 'json_object', 'text']
    }
  ])(
    'gets its verdict where $refused is refused',
    async ({ refused, forms }) => {
      bench = refused.length
        ? await refusing(...refused)
        : await Bench.open([{ text: ANSWER }]);
      expect(await judge()).toMatchObject({ evaluation: 'pass', score: 0.9 });
      expect(bench.bodies.map(formOf)).toEqual(forms);
      expect(JSON.stringify(bench.bodies)).not.toContain('://');
    }
  );

  it('says unknown where no form brings an answer that can be read', async () => {
    bench = await Bench.open([{ times: 0, text: 'Well.' }]);
    expect((await judge()).evaluation).toBe('unknown');
  });
});

function formOf(body: Readonly<Record<string, unknown>>): string {
  const format = body.response_format as { readonly type: string } | undefined;
  return format?.type ?? 'text';
}
