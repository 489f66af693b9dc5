/** @jest-environment node */
import { Bench, collect, FIB, ofType, REQUEST, textOf } from './support';

let bench: Bench;
afterEach(() => bench.server.close());

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
