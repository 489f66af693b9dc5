/** @jest-environment node */
import type { ScriptedAnswer } from '../../../testing/scriptedServer';
import type { Tuning } from '../chatModel';
import { FakeClock } from '../../../testing/fakeClock';
import {
  Bench,
  collect,
  failing,
  FIB,
  ofType,
  REQUEST,
  textOf
} from '../../__tests__/support';

let bench: Bench;
afterEach(() => bench.server.close());

const requests = () => bench.server.log.records.length;

describe('made again', () => {
  it.each([429, 500, 502, 522])('%i, until it succeeds', async status => {
    bench = await Bench.open([
      { times: 2, fault: { type: 'status', status } },
      { text: FIB }
    ]);
    const events = await collect(bench.model());
    const retries = ofType(events, 'retry');
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([5, 10]);
    expect(retries[0].reason).toContain(String(status));
    expect(textOf(events)).toBe(FIB);
    expect(requests()).toBe(3);
  });

  it('reports what failed, and what to do only at the end', async () => {
    const error = { message: 'out of memory', code: 'provider-error' };
    bench = await Bench.open([
      { text: FIB, fault: { type: 'cut', afterTokens: 3 } },
      {
        times: 0,
        text: FIB,
        fault: { type: 'stream-error', afterTokens: 3, error }
      }
    ]);
    const { error: last, events } = await failing(
      bench.model({ maxRetries: 2 })
    );
    const [cut, failed] = ofType(events, 'retry').map(r => r.reason);
    expect(cut).toMatch(/broke off after \d+ characters\.$/);
    // A provider's words without a full stop do not run into ours.
    expect(failed).toMatch(/^out of memory\. Model: \S+ at \S+\.$/);
    expect(last.message).toMatch(
      /^out of memory\. Model: \S+ at \S+\. Try again later, or choose another model\. It was tried 3 times within /
    );
    expect(requests()).toBe(3);
    expect(last.details.numbers).toMatchObject({ retries: 2 });
  });

  it.each([true, false])(
    'a stream cut in the middle (cleanly: %s) is voided',
    async clean => {
      bench = await Bench.open([
        { text: FIB, fault: { type: 'cut', afterTokens: 3, clean } },
        { text: FIB }
      ]);
      const events = await collect(bench.model());
      expect(events.map(({ type }) => type).indexOf('retry')).toBe(3);
      expect(textOf(events)).toBe(FIB);
    }
  );

  it('counts the tokens of calls that broke off', async () => {
    bench = await Bench.open([
      { text: FIB, fault: { type: 'cut', afterTokens: 4 } },
      { text: FIB, usage: { prompt: 100, completion: 10 } }
    ]);
    const events = await collect(bench.model());
    expect(ofType(events, 'retry')[0].usage).toMatchObject({
      calls: 1,
      // Four characters to a token, four tokens more to a message.
      promptTokens: 17,
      completionTokens: 4,
      estimated: true
    });
    expect(ofType(events, 'end')[0].usage).toMatchObject({
      calls: 1,
      promptTokens: 100,
      completionTokens: 10,
      estimated: false
    });
  });

  it('reports the tokens of the last call with its error', async () => {
    bench = await Bench.open([
      { times: 0, text: FIB, fault: { type: 'cut', afterTokens: 4 } }
    ]);
    const { error } = await failing(bench.model());
    expect(error.details.usage).toMatchObject({
      calls: 1,
      promptTokens: 17,
      completionTokens: 4
    });
  });
});

describe('the wait', () => {
  const delaysOf = async (
    script: readonly ScriptedAnswer[],
    clock: FakeClock,
    tuning: Partial<Tuning> = {}
  ) => {
    bench = await Bench.open(script);
    const delays: number[] = [];
    const model = bench.model({ clock, ...tuning });
    for await (const event of model.generate(
      REQUEST,
      new AbortController().signal
    )) {
      if (event.type === 'retry') {
        delays.push(event.delayMs);
        setImmediate(() => void clock.advance(event.delayMs));
      }
    }
    return delays;
  };

  it('is made as often as it is asked for, within a limit', async () => {
    const clock = new FakeClock();
    const message = 'Used up. Pay at https://example.org/billing.';
    const script = (times: number) => [
      {
        times,
        fault: { type: 'status', status: 429, retryAfter: 20, message }
      } as const,
      { text: FIB }
    ];
    expect(await delaysOf(script(5), clock)).toEqual(Array(5).fill(20_000));
    await bench.server.close();
    await expect(delaysOf(script(30), clock)).rejects.toMatchObject({
      code: 'rate-limited'
    });
    expect(requests()).toBe(16);
  });

  it.each([
    [429, 'Used up.'],
    [503, 'The model is overloaded.'],
    [503, 'Service is too busy.']
  ])(
    'for a limit or overload is a minute in all: %i',
    async (status, message) => {
      const clock = new FakeClock();
      const start = clock.now();
      const fault = { type: 'status', status, message } as const;
      await expect(
        delaysOf([{ times: 0, fault }], clock, { backoffMs: 500 })
      ).rejects.toMatchObject({ details: { numbers: { status } } });
      expect(clock.now() - start).toBe(63_500);
      expect(requests()).toBe(8);
    }
  );

  it('of no length is no haste', async () => {
    const delays = await delaysOf(
      [
        { times: 4, fault: { type: 'status', status: 429, retryAfter: 0 } },
        { text: FIB }
      ],
      new FakeClock()
    );
    expect(delays).toEqual([0, 0, 20, 20]);
  });

  it('longer than allowed is not made: the error says so', async () => {
    bench = await Bench.open([
      { times: 0, fault: { type: 'status', status: 429, retryAfter: 3600 } }
    ]);
    const { error } = await failing(bench.model({ maxRetryAfterMs: 60_000 }));
    expect(requests()).toBe(1);
    expect(error.details.numbers?.retryAfterMs).toBe(3_600_000);
  });

  it('ends at once when the call is stopped', async () => {
    bench = await Bench.open([
      { times: 0, fault: { type: 'status', status: 429, retryAfter: 30 } }
    ]);
    const controller = new AbortController();
    const start = Date.now();
    const run = async () => {
      for await (const event of bench
        .model()
        .generate(REQUEST, controller.signal)) {
        if (event.type === 'retry') {
          setTimeout(() => controller.abort(), 20);
        }
      }
    };
    await expect(run()).rejects.toMatchObject({ name: 'AbortError' });
    expect(Date.now() - start).toBeLessThan(2000);
    expect(requests()).toBe(1);
  });
});

describe('not made again', () => {
  it.each([{ type: 'login-page' }, { type: 'context-length' }] as const)(
    '$type',
    async fault => {
      bench = await Bench.open([{ times: 0, text: FIB, fault }]);
      await failing(bench.model());
      expect(requests()).toBe(1);
    }
  );
});
