import { inOrder } from '../runs';

const pause = (ms: number) => new Promise(done => setTimeout(done, ms));

it('gives results in the order of the items, each as soon as it can', async () => {
  const waits = [30, 1, 1, 20, 1];
  const seen: number[] = [];
  const busy = { now: 0, most: 0 };
  const worker = async (at: number) => {
    busy.most = Math.max(busy.most, ++busy.now);
    await pause(waits[at] ?? 0);
    busy.now--;
    return at;
  };
  await inOrder(
    waits.map((_, at) => at),
    [worker, worker],
    at => seen.push(at),
    () => false
  );
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(busy.most).toBe(2);
});

it('gives what is done when it is ended, and takes no further item', async () => {
  const seen: number[] = [];
  let ended = false;
  const slow = async (at: number) => {
    await pause(at === 0 ? 30 : 1);
    ended ||= at === 2;
    return at;
  };
  await inOrder(
    [0, 1, 2, 3, 4],
    [slow, slow],
    at => seen.push(at),
    () => ended
  );
  expect(seen).toEqual([0, 1, 2]);
});
