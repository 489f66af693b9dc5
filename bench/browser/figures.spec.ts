/** Figures of a real browser: `bench/run.mjs` prints them. */
import * as fs from 'fs';
import * as path from 'path';
import { gzipSync } from 'zlib';
import { LAB_PORT } from '../../ui-tests/ports';
import { answer, expect, test } from '../../ui-tests/refine';

/** Append one row of figures. */
function record(name: string, figures: Readonly<Record<string, number>>): void {
  const file = process.env.REFINE_BENCH_FILE;
  if (!file) {
    throw new Error('REFINE_BENCH_FILE is not set: run `make bench`');
  }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, `${JSON.stringify({ name, figures })}\n`);
}

const ROUNDS = 5;
const OURS = /lab\/extensions\/jupyterlab-refine\/.*\.js/;

/** Start of JupyterLab with the extension and with its files blocked, in turns; and what it loads at start. */
test('activation', async ({ browser }) => {
  test.setTimeout(300_000);
  const times: { with: number[]; without: number[] } = {
    with: [],
    without: []
  };
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ['with', 'without'] as const) {
      const page = await browser.newPage();
      if (kind === 'without') {
        await page.route(OURS, route => route.abort());
      }
      const loaded: Promise<Buffer>[] = [];
      page.on('response', response => {
        if (OURS.test(response.url())) {
          loaded.push(response.body());
        }
      });
      await page.goto(`http://localhost:${LAB_PORT}/lab?reset`);
      await page.waitForFunction(() => 'jupyterapp' in window);
      const ms = await page.evaluate(async () => {
        await window.jupyterapp.restored;
        return performance.now();
      });
      // The first round warms the server's and the disk's caches.
      if (round > 0) {
        times[kind].push(ms);
      }
      if (kind === 'with') {
        bytes = (await Promise.all(loaded))
          .map(body => gzipSync(body).length)
          .reduce((sum, size) => sum + size, 0);
      }
      await page.close();
    }
  }
  const [with_, without] = [times.with, times.without].map(
    list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  );
  record('start of JupyterLab', {
    'with the extension, p50 ms': with_,
    'without, p50 ms': without,
    'with / without': with_ / without,
    'of ours loaded at start, kB gzip': bytes / 1000
  });
});

/** Tasks of the main thread over 50 ms while 200 tokens a second stream into the panel for 10 s. */
test('streaming', async ({ notebook, page }) => {
  const line = (i: number) => `value_${i} = ${i} + sum(range(${i}))`;
  const code = Array.from({ length: 260 }, (_, i) => line(i)).join('\n');
  const nb = await notebook(
    [
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' }
    ],
    [answer(code), answer(`${code}\nanswer = 42`, { tokensPerSecond: 200 })]
  );
  await nb.refine(0);
  await expect(nb.panel.getByText('Attempt 2 of 5').first()).toBeVisible();
  // The second attempt is shown as a change to a first one of 260 lines.
  await expect(nb.panel.getByText('value_5 = 5').first()).toBeVisible();
  await page.evaluate(() => {
    const tasks: number[] = [];
    new PerformanceObserver(list =>
      tasks.push(...list.getEntries().map(entry => entry.duration))
    ).observe({ type: 'longtask' });
    (window as unknown as { __tasks: number[] }).__tasks = tasks;
  });
  await page.waitForTimeout(10_000);
  const tasks = await page.evaluate(
    () => (window as unknown as { __tasks: number[] }).__tasks
  );
  record('streaming', {
    'tasks over 50 ms': tasks.length,
    'longest, ms': Math.max(0, ...tasks)
  });
});

type Times = { sent: number; arrived: number; seen: number };

/**
 * From the model server's write of a token to the change that the panel draws with the next frame. The token
 * passes the Jupyter server. All clocks are of this machine.
 */
test('token from the wire to the panel', async ({ notebook, page }) => {
  const code = Array.from({ length: 60 }, (_, i) => `value_${i} = ${i}`);
  const nb = await notebook(
    [
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' }
    ],
    [answer(code.join('\n'), { tokensPerSecond: 25, stamped: true })]
  );
  await nb.select(0);
  await page.evaluate(() => {
    const times: Times[] = [];
    let waiting: Times | null = null;
    (window as unknown as { __times: Times[] }).__times = times;
    const now = () => performance.timeOrigin + performance.now();
    // Without it, the client reads with a reader.
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
    const { read } = ReadableStreamDefaultReader.prototype;
    ReadableStreamDefaultReader.prototype.read = async function (
      this: ReadableStreamDefaultReader
    ) {
      const result = await read.call(this);
      const text =
        result.value instanceof Uint8Array
          ? new TextDecoder().decode(result.value)
          : '';
      const sent = /# (\d{13})\\n/.exec(text)?.[1];
      waiting = sent
        ? { sent: Number(sent), arrived: now(), seen: 0 }
        : waiting;
      return result;
    };
    // The panel asks for a frame when an event has changed what it shows.
    const { requestAnimationFrame } = window;
    window.requestAnimationFrame = callback => {
      if (waiting) {
        times.push({ ...waiting, seen: now() });
        waiting = null;
      }
      return requestAnimationFrame(callback);
    };
  });
  await nb.refine();
  await expect(nb.panel.getByText('value_40').first()).toBeVisible({
    timeout: 60_000
  });
  const times = await page.evaluate(
    () => (window as unknown as { __times: Times[] }).__times
  );
  expect(times.length).toBeGreaterThan(30);
  const rank = (of: (one: Times) => number, share: number) =>
    times.map(of).sort((a, b) => a - b)[Math.floor(share * times.length)];
  const whole = ({ sent, seen }: Times) => Math.max(0, seen - sent);
  record('token', {
    'from the wire to the panel, p50, ms': rank(whole, 0.5),
    'from the wire to the panel, p95, ms': rank(whole, 0.95),
    'of these in the browser, p95, ms': rank(
      ({ arrived, seen }) => seen - arrived,
      0.95
    ),
    tokens: times.length
  });
});
