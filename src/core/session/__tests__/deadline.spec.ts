import { FakeClock } from '../../../testing/fakeClock';
import { Deadline } from '../deadline';

it('expires once, after its time of running', async () => {
  const clock = new FakeClock();
  let expired = 0;
  const deadline = new Deadline(clock, 100, () => expired++);
  await clock.advance(500);
  deadline.start();
  deadline.start();
  await clock.advance(60);
  deadline.hold();
  deadline.hold();
  await clock.advance(1000);
  deadline.start();
  await clock.advance(39);
  expect(expired).toBe(0);
  await clock.advance(1);
  expect(expired).toBe(1);
  deadline.start();
  await clock.advance(1000);
  expect(expired).toBe(1);
});

it('never expires after its end', async () => {
  const clock = new FakeClock();
  let expired = 0;
  const deadline = new Deadline(clock, 100, () => expired++);
  deadline.start();
  deadline.end();
  deadline.start();
  await clock.advance(200);
  expect(expired).toBe(0);
  expect(clock.sleeping).toBe(0);
});
