import { answer, expect, model, test } from '../../ui-tests/refine';
import { record } from './record';

type Times = { sent: number; arrived: number; seen: number };

/**
 * From the model server's write of a token to the change that the panel draws with the next frame. The token
 * passes the Jupyter server. All clocks are of this machine.
 */
test('token from the wire to the panel', async ({ notebook, page }) => {
  const code = Array.from({ length: 60 }, (_, i) => `value_${i} = ${i}`);
  await model.load({
    answers: [
      {
        text: answer('One after the other.', code.join('\n')),
        tokensPerSecond: 25,
        stamped: true
      }
    ]
  });
  const nb = await notebook('tokens', [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.select(0);
  await page.evaluate(() => {
    const times: Times[] = [];
    let waiting: Times | null = null;
    (window as unknown as { __times: Times[] }).__times = times;
    const now = () => performance.timeOrigin + performance.now();
    const { read } = ReadableStreamDefaultReader.prototype;
    ReadableStreamDefaultReader.prototype.read = async function (
      this: ReadableStreamDefaultReader
    ) {
      const result = await read.call(this);
      const text =
        result.value instanceof Uint8Array
          ? new TextDecoder().decode(result.value)
          : '';
      const sent = /"id": ?"chatcmpl-(\d+)"/.exec(text)?.[1];
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
