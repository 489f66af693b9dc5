/** @jest-environment node */
import type { ScriptedAnswer } from '../../testing/scriptedServer';
import { Bench, FIB, REQUEST } from './support';

let bench: Bench;
afterEach(() => bench.server.close());

/** Start a call, stop it with `stop` once `when` holds; resolves with the milliseconds until the server noticed. */
async function stopped(
  answer: ScriptedAnswer,
  when: 'accepted' | 'text'
): Promise<number> {
  bench = await Bench.open([answer]);
  const controller = new AbortController();
  let at = NaN;
  const stop = () => {
    at = Date.now();
    controller.abort();
  };
  const run = (async () => {
    for await (const event of bench
      .model()
      .generate(REQUEST, controller.signal)) {
      if (when === 'text' && event.type === 'text') {
        stop();
      }
    }
  })();
  const outcome = expect(run).rejects.toMatchObject({ name: 'AbortError' });
  if (when === 'accepted') {
    await bench.server.log.until(records => records.length === 1);
    stop();
  }
  await outcome;
  await bench.server.log.until(records => records[0].state === 'aborted', 1000);
  return Date.now() - at;
}

describe('stop reaches the provider within a second', () => {
  it.each<[string, ScriptedAnswer, 'accepted' | 'text']>([
    ['in mid-stream', { text: FIB.repeat(50), tokensPerSecond: 50 }, 'text'],
    [
      'while the model loads',
      { fault: { type: 'slow', delayMs: 9000 } },
      'accepted'
    ],
    [
      'while the provider is silent',
      { fault: { type: 'stall', headers: false } },
      'accepted'
    ],
    [
      'between headers and first token',
      { fault: { type: 'stall' } },
      'accepted'
    ]
  ])('%s', async (_, answer, when) => {
    expect(await stopped(answer, when)).toBeLessThan(1000);
  });

  it('also when the reader just stops reading', async () => {
    bench = await Bench.open([{ text: FIB.repeat(50), tokensPerSecond: 50 }]);
    for await (const event of bench
      .model()
      .generate(REQUEST, new AbortController().signal)) {
      if (event.type === 'text') {
        break;
      }
    }
    await bench.server.log.until(
      records => records[0].state === 'aborted',
      1000
    );
    expect(bench.server.log.records[0].tokensSent).toBeLessThan(20);
  });

  it('nothing is sent when it was stopped before', async () => {
    bench = await Bench.open([{ text: FIB }]);
    const call = bench.model().generate(REQUEST, AbortSignal.abort());
    await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: 'AbortError'
    });
    expect(bench.server.log.records).toHaveLength(0);
  });
});
