/** @jest-environment node */
import {
  Bench,
  collect,
  failing,
  FIB,
  ofType,
  REQUEST,
  textOf
} from '../../__tests__/support';
import { RefineError } from '../../../core/errors';
import type { ScriptedAnswer } from '../../../testing/scriptedServer';
import { cutPromptWarning } from '../chatModel';

let bench: Bench;
let logged: jest.SpyInstance;

// Before any call: the client keeps the console that it finds at its first one.
beforeAll(() => {
  logged = jest.spyOn(console, 'error').mockImplementation();
});
afterEach(async () => {
  await bench.server.close();
  // What it would print are bodies, and with them notebooks.
  expect(logged).not.toHaveBeenCalled();
});
afterAll(() => logged.mockRestore());

async function errorOf(answer: ScriptedAnswer) {
  bench = await Bench.open([{ times: 0, ...answer }]);
  const { error } = await failing(bench.model({ maxRetries: 0 }));
  expect(error).toBeInstanceOf(RefineError);
  expect(error.message).toContain(bench.server.host);
  return error;
}

describe('a streamed answer', () => {
  it.each([1, 5])(
    'joins characters that are split over writes of %i bytes',
    async bytesPerWrite => {
      const text = 'naïve → 日本語 🎉';
      bench = await Bench.open([{ text, bytesPerWrite }]);
      expect(textOf(await collect(bench.model()))).toBe(text);
    }
  );

  it('separates reasoning from text', async () => {
    bench = await Bench.open([
      { text: FIB, reasoning: 'Think of the base case.' }
    ]);
    const events = await collect(bench.model());
    expect(textOf(events, 'reasoning')).toBe('Think of the base case.');
    expect(textOf(events)).toBe(FIB);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['some_other_word', 'other']
  ] as const)('maps the finish reason %s to %s', async (sent, expected) => {
    bench = await Bench.open([{ text: FIB, finishReason: sent }]);
    const events = await collect(bench.model());
    expect(ofType(events, 'end')[0].finishReason).toBe(expected);
  });
});

it('ends the call when the reader stops reading', async () => {
  bench = await Bench.open([{ text: FIB.repeat(50), tokensPerSecond: 50 }]);
  const { signal } = new AbortController();
  for await (const event of bench.model().generate(REQUEST, signal)) {
    if (event.type === 'text') {
      break;
    }
  }
  await bench.server.log.until(([record]) => record.state === 'aborted', 1000);
  expect(bench.server.log.records[0].tokensSent).toBeLessThan(20);
});

it('sends nothing when it was stopped before', async () => {
  bench = await Bench.open([{ text: FIB }]);
  const call = bench.model().generate(REQUEST, AbortSignal.abort());
  await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    name: 'AbortError'
  });
  expect(bench.server.log.records).toHaveLength(0);
});

describe('a stream that breaks', () => {
  it('a line that is not JSON', async () => {
    const error = await errorOf({
      text: FIB,
      fault: { type: 'malformed', afterTokens: 2 }
    });
    expect(error.code).toBe('stream-cut');
    expect(error.message).toContain('broke off after 8 characters');
  });

  it.each<[string, unknown, string]>([
    [
      'with a code of ours',
      { message: 'boom', code: 'provider-error' },
      'provider-error'
    ],
    ['of another shape', 'upstream died', 'not-an-api']
  ])('an error object %s', async (_, error, code) => {
    bench = await Bench.open([
      { text: FIB, fault: { type: 'stream-error', afterTokens: 2, error } }
    ]);
    const failed = await failing(bench.model({ maxRetries: 0 }));
    expect(failed.error.code).toBe(code);
  });
});

describe('usage', () => {
  it('that the provider omits is estimated from characters', async () => {
    bench = await Bench.open([
      { text: 'x'.repeat(41), reasoning: 'y'.repeat(3), usage: null }
    ]);
    const end = ofType(await collect(bench.model()), 'end')[0];
    expect(end.usage).toEqual({
      calls: 1,
      promptTokens: 17,
      completionTokens: 11,
      estimated: true,
      cost: null
    });
  });

  it('of a prompt that the server seems to have cut is warned of', async () => {
    const content = 'word '.repeat(4000);
    bench = await Bench.open([
      { text: FIB, usage: { prompt: 2048, completion: 9 } }
    ]);
    const events = await collect(bench.model(), {
      messages: [{ role: 'user', content }]
    });
    expect(ofType(events, 'warning')[0].message).toMatch(
      /read 2048 tokens of a prompt of about 5004/
    );
    expect(events.at(-1)).toMatchObject({ type: 'end' });
  });

  it.each([
    [REQUEST, { promptTokens: 1, completionTokens: 1 }],
    [
      { messages: [{ role: 'user', content: 'word '.repeat(4000) }] },
      { promptTokens: 4000, completionTokens: 1 }
    ],
    [{ messages: [{ role: 'user', content: 'word '.repeat(4000) }] }, null]
  ] as const)('gives no false alarm (%#)', async (request, reported) => {
    bench = await Bench.open();
    expect(cutPromptWarning(request, reported, 'm')).toBeNull();
  });
});
