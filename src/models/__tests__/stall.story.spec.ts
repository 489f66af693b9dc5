/** @jest-environment node */
import {
  Bench,
  collect,
  failing,
  FIB,
  IMPATIENT,
  REQUEST,
  textOf
} from './support';

let bench: Bench;
afterEach(() => bench.server.close());

const aborted = () =>
  bench.server.log.until(records => records[0]?.state === 'aborted', 1000);

describe('a stall', () => {
  it.each([true, false])(
    'before the first token (headers: %s): the silence limit',
    async headers => {
      bench = await Bench.open([
        { text: FIB, fault: { type: 'stall', headers } }
      ]);
      const { error } = await failing(bench.model(IMPATIENT));
      expect(error.code).toBe('stalled');
      expect(error.message).toMatch(
        /sent no answer of model scripted-model for 0\.4 s/
      );
      await aborted();
    }
  );

  it('in the middle: the shorter limit, and how much had come', async () => {
    bench = await Bench.open([
      { text: FIB, fault: { type: 'stall', afterTokens: 4 } }
    ]);
    const { error } = await failing(
      bench.model({ ...IMPATIENT, firstTokenMs: 60_000 })
    );
    expect(error.code).toBe('stalled');
    expect(error.message).toMatch(/stopped for 0\.\d s after 16 characters/);
    await aborted();
  });

  it('in the middle is not hidden by comments', async () => {
    bench = await Bench.open([
      {
        text: FIB,
        fault: { type: 'stall', afterTokens: 4, commentEveryMs: 30 }
      }
    ]);
    const { error } = await failing(
      bench.model({ ...IMPATIENT, firstTokenMs: 60_000 })
    );
    expect(error.code).toBe('stalled');
  });

  it('with comments only ends at the limit for loading', async () => {
    bench = await Bench.open([
      { text: FIB, fault: { type: 'stall', commentEveryMs: 100 } }
    ]);
    const start = Date.now();
    const { error } = await failing(bench.model(IMPATIENT));
    expect(error.code).toBe('stalled');
    expect(Date.now() - start).toBeGreaterThan(1000);
  });

  it.each(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
    'is also what Node’s own limit means (%s): not made again',
    async code => {
      bench = await Bench.open();
      const original = globalThis.fetch;
      let calls = 0;
      globalThis.fetch = () => {
        calls += 1;
        const cause = Object.assign(new Error('Timeout Error'), { code });
        return Promise.reject(new TypeError('fetch failed', { cause }));
      };
      try {
        const { error } = await failing(bench.model());
        expect(error.code).toBe('stalled');
        expect(error.message).toContain('for 5 min');
        expect(calls).toBe(1);
      } finally {
        globalThis.fetch = original;
      }
    }
  );

  it('of an error body gives way to the status', async () => {
    bench = await Bench.open();
    const original = globalThis.fetch;
    globalThis.fetch = async () =>
      new Response(new ReadableStream(), { status: 401 });
    try {
      const { error } = await failing(bench.model());
      expect(error.code).toBe('unauthorized');
    } finally {
      globalThis.fetch = original;
    }
  });
});

describe('no stall', () => {
  it.each([true, false])(
    'a model that loads longer than a stall (headers first: %s)',
    async headersFirst => {
      bench = await Bench.open([
        { text: FIB, fault: { type: 'slow', delayMs: 400, headersFirst } }
      ]);
      const model = bench.model({ stallMs: 100, firstTokenMs: 5000 });
      expect(textOf(await collect(model))).toBe(FIB);
    }
  );

  it('comments while loading, beyond the silence limit', async () => {
    bench = await Bench.open([
      {
        text: FIB,
        fault: {
          type: 'slow',
          delayMs: 1500,
          headersFirst: true,
          commentEveryMs: 50
        }
      }
    ]);
    const model = bench.model({ firstTokenMs: 700, loadingMs: 10_000 });
    expect(textOf(await collect(model))).toBe(FIB);
  });

  it('a reader that takes its time', async () => {
    bench = await Bench.open([{ text: FIB }]);
    let text = '';
    for await (const event of bench
      .model({ stallMs: 200 })
      .generate(REQUEST, new AbortController().signal)) {
      if (event.type === 'text') {
        await new Promise(resolve => setTimeout(resolve, text ? 20 : 300));
        text += event.text;
      }
    }
    expect(text).toBe(FIB);
  });

  it('a slow but steady stream', async () => {
    bench = await Bench.open([{ text: FIB, tokensPerSecond: 10 }]);
    expect(textOf(await collect(bench.model({ stallMs: 800 })))).toBe(FIB);
  });
});
