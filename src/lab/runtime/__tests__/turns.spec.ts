/** @jest-environment node */
import { Turns } from '../turns';

const place = {};

function setUp() {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const turns = new Turns<object>(() => undefined);
  const add = (
    name: string,
    busy: () => Promise<unknown> | null = () => null
  ) =>
    turns.add({
      place,
      name,
      busy,
      work: async next => {
        log.push(name);
        nexts.set(name, next);
        await new Promise<void>(resolve => ends.set(name, resolve));
      }
    });
  const nexts = new Map<string, () => void>();
  return { log, ends, nexts, turns, add };
}

/** Longer than any chain of settled promises here. */
const settled = () => new Promise(resolve => setTimeout(resolve, 0));

it('starts one after the other, and shows what waits', async () => {
  const { add, ends, log, turns } = setUp();
  const both = [add('a'), add('b')];
  await settled();
  expect(log).toEqual(['a']);
  expect(turns.waiting(place)).toEqual(['b']);
  ends.get('a')?.();
  await settled();
  expect(log).toEqual(['a', 'b']);
  expect(turns.waiting(place)).toEqual([]);
  ends.get('b')?.();
  await Promise.all(both);
});

it('starts the next one early where the work lets it', async () => {
  const { add, log, nexts } = setUp();
  void add('a');
  void add('b');
  await settled();
  nexts.get('a')?.();
  await settled();
  expect(log).toEqual(['a', 'b']);
});

it('withdraws one by its name, or all', async () => {
  const { add, ends, log, turns } = setUp();
  const all = ['a', 'b', 'c', 'd'].map(name => add(name));
  await settled();
  turns.withdraw(place, 'c');
  expect(turns.waiting(place)).toEqual(['b', 'd']);
  turns.withdraw(place);
  ends.get('a')?.();
  await Promise.all(all);
  expect(log).toEqual(['a']);
});

it('goes on after work that fails', async () => {
  const { add, log, turns } = setUp();
  const failed = turns.add({
    place,
    name: 'x',
    busy: () => null,
    work: () => Promise.reject(new Error('no'))
  });
  void add('a');
  await expect(failed).rejects.toThrow('no');
  await settled();
  expect(log).toEqual(['a']);
});

it('waits for what keeps the place busy, unless withdrawn', async () => {
  const { add, log, turns } = setUp();
  let end = () => undefined as void;
  let other: Promise<void> | null = new Promise(resolve => (end = resolve));
  void add('a', () => other);
  void add('b', () => other);
  await settled();
  expect(turns.waiting(place)).toEqual(['a', 'b']);
  turns.withdraw(place, 'a');
  other = null;
  end();
  await settled();
  expect(log).toEqual(['b']);
});
