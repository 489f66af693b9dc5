import type { ModelEvent } from '../../core/domain/model';
import { settingsSchema } from '../../core/settings';
import { FakeClock } from '../fakeClock';
import { FakeExecutor, fakeAssertion } from '../fakeExecutor';
import { fakeEnd, FakeModel } from '../fakeModel';

const { signal } = new AbortController();
const request = { messages: [] };

async function events(stream: AsyncIterable<ModelEvent>) {
  const got: ModelEvent[] = [];
  for await (const event of stream) {
    got.push(event);
  }
  return got;
}

describe('FakeClock', () => {
  it('wakes sleepers in order, also those that others start', async () => {
    const clock = new FakeClock(1000);
    const woken: [string, number][] = [];
    const note = (name: string) => woken.push([name, clock.now()]);
    void clock.sleep(30).then(() => note('c'));
    void clock
      .sleep(10)
      .then(() => note('a'))
      .then(() => clock.sleep(10))
      .then(() => note('b'));
    await clock.advance(25);
    expect(woken).toEqual([
      ['a', 1010],
      ['b', 1020]
    ]);
    await clock.advance(5);
    expect(woken[2]).toEqual(['c', 1030]);
  });

  it('rejects an aborted sleep with the reason', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const reason = new Error('stop');
    const sleeping = clock.sleep(10, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(1, controller.signal)).rejects.toBe(reason);
    expect(clock.sleeping).toBe(0);
  });
});

describe('FakeModel', () => {
  it('streams text in pieces and ends', async () => {
    const model = new FakeModel(['Hello you'], { chunk: 4 });
    expect(await events(model.generate(request, signal))).toEqual([
      { type: 'text', text: 'Hell' },
      { type: 'text', text: 'o yo' },
      { type: 'text', text: 'u' },
      fakeEnd()
    ]);
    expect(model).toMatchObject({ active: 0, aborted: 0, requests: [request] });
  });

  it('plays its answers in order, then the last again', async () => {
    const model = new FakeModel(['a', (_, call) => `call ${call}`]);
    const first = async () =>
      (await events(model.generate(request, signal)))[0];
    expect(await first()).toMatchObject({ text: 'a' });
    expect(await first()).toMatchObject({ text: 'call 1' });
    expect(await first()).toMatchObject({ text: 'call 2' });
  });

  it('hangs until aborted, and throws the scripted error', async () => {
    const controller = new AbortController();
    const hanging = new FakeModel([[{ type: 'hang' }]]);
    const stream = events(hanging.generate(request, controller.signal));
    expect(hanging.active).toBe(1);
    controller.abort(new Error('stop'));
    await expect(stream).rejects.toThrow('stop');
    expect(hanging).toMatchObject({ active: 0, aborted: 1 });
    const failing = new FakeModel([
      [{ type: 'throw', error: new Error('no') }]
    ]);
    await expect(events(failing.generate(request, signal))).rejects.toThrow(
      'no'
    );
  });
});

describe('FakeExecutor', () => {
  const options = settingsSchema.parse({});
  const job = {
    id: 'job',
    candidate: 'x',
    assertions: [],
    holdouts: [],
    limits: { seconds: 1 },
    contextValues: options.contextValues,
    allowNetwork: false,
    allowWrites: false
  };

  it('plays scripted runs and previews', async () => {
    const executor = new FakeExecutor([{ assertions: [fakeAssertion()] }], {
      progress: () => [{ type: 'started' }]
    });
    const progress: unknown[] = [];
    const execution = await executor.run(job, p => progress.push(p), signal);
    expect(execution).toMatchObject({
      id: 'job',
      status: 'completed',
      assertions: [{ id: 'check:1' }]
    });
    expect(progress).toEqual([{ type: 'started' }]);
    expect(executor.jobs).toEqual([job]);
  });

  it('takes its time on a clock, and resolves as cut when aborted', async () => {
    const clock = new FakeClock();
    const executor = new FakeExecutor([{ durationMs: 100 }, 'hang'], { clock });
    const timed = executor.run(job, () => undefined, signal);
    await clock.advance(99);
    expect(executor.active).toBe(1);
    await clock.advance(1);
    expect(await timed).toMatchObject({ status: 'completed', durationMs: 100 });
    const controller = new AbortController();
    const hanging = executor.run(job, () => undefined, controller.signal);
    controller.abort();
    expect(await hanging).toMatchObject({ status: 'cut', stop: 'stopped' });
    expect(executor).toMatchObject({ aborted: 1, active: 0 });
  });

  it('throws the scripted error', async () => {
    const executor = new FakeExecutor([new Error('bug')], {
      prepareError: new Error('dead')
    });
    await expect(executor.run(job, () => undefined, signal)).rejects.toThrow(
      'bug'
    );
    await expect(executor.prepare(signal)).rejects.toThrow('dead');
  });

  it('inspects the variables it was given', async () => {
    const variables = [
      { name: 'a', type: 'int' },
      { name: 'b', type: 'int' }
    ];
    const executor = new FakeExecutor([], { variables });
    expect(await executor.inspect(['b', 'c'], 'types', signal)).toEqual([
      variables[1]
    ]);
  });
});
