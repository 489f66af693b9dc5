import { Steering } from '../steering';

it('waits only while paused', async () => {
  const steering = new Steering();
  const { signal } = new AbortController();
  await steering.waitWhilePaused(signal);
  steering.pause();
  let over = false;
  const waiting = steering.waitWhilePaused(signal).then(() => (over = true));
  await new Promise(resolve => setTimeout(resolve, 5));
  expect(over).toBe(false);
  steering.continue();
  await waiting;
});

it('leaves the wait with the signal', async () => {
  const steering = new Steering();
  const controller = new AbortController();
  steering.pause();
  const waiting = steering.waitWhilePaused(controller.signal);
  const reason = new Error('stop');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(steering.waitWhilePaused(controller.signal)).rejects.toBe(
    reason
  );
});

it('hands hints over once, blank ones never', () => {
  const steering = new Steering();
  steering.hint('  a ');
  steering.hint('   ');
  expect(steering.takeHints()).toEqual(['a']);
  expect(steering.takeHints()).toEqual([]);
});

it('reports changes, and only changes', () => {
  const steering = new Steering();
  const changes: unknown[] = [];
  const end = steering.onChange(change => changes.push(change));
  steering.pause();
  steering.pause();
  steering.hint('a');
  steering.continue();
  end();
  steering.pause();
  expect(changes).toEqual([
    { type: 'pause', paused: true },
    { type: 'hint', text: 'a' },
    { type: 'pause', paused: false }
  ]);
});

it('lets one attempt through for each step, and stays paused', async () => {
  const steering = new Steering();
  const { signal } = new AbortController();
  steering.step();
  expect(steering.paused).toBe(true);
  await steering.waitWhilePaused(signal);
  const changes: string[] = [];
  steering.onChange(({ type }) => changes.push(type));
  let held = true;
  const second = steering.waitWhilePaused(signal).then(() => {
    held = false;
  });
  await Promise.resolve();
  expect(held).toBe(true);
  expect(changes).toEqual(['held']);
  steering.step();
  await second;
  const third = steering.waitWhilePaused(signal);
  steering.continue();
  await third;
  expect(steering.paused).toBe(false);
});
