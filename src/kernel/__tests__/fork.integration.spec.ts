/** @jest-environment node */
import type { Kernel } from '@jupyterlab/services';
import type { ExecutionProgress } from '../../core/domain/executor';
import { createExecutor } from '../create';
import { job, pause, runCell, until } from './jobs';
import { JupyterServer } from './jupyterServer';

jest.setTimeout(60_000);

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  kernel = await server.startKernel();
});

afterEach(async () => {
  if (!kernel.isDisposed) {
    await kernel.shutdown();
  }
});

const fork = () =>
  createExecutor(kernel, {
    isolation: 'fork',
    allowLive: () => Promise.resolve(false)
  });

const never = () => new AbortController().signal;

const cell = (code: string) => runCell(kernel, code);

describe('attempts in a fork of a real kernel', () => {
  it('waits for its turn to start, then runs beside a cell', async () => {
    const executor = await fork();
    const user = kernel.requestExecute({
      code: 'import time; time.sleep(1.5)'
    });
    const progress: ExecutionProgress[] = [];
    const result = await executor.run(
      job('x = 1', 'assert x == 1'),
      event => progress.push(event),
      never()
    );
    expect(result.status).toBe('completed');
    expect(progress.map(event => event.type).slice(0, 2)).toEqual([
      'waiting',
      'started'
    ]);
    expect((await user.done).content.status).toBe('ok');
    executor.dispose();
  });

  it('survives failing cells queued before it', async () => {
    const executor = await fork();
    const users = ['import time; time.sleep(0.5); 1/0', '2', '3'].map(code =>
      kernel.requestExecute({ code, stop_on_error: true })
    );
    const result = await executor.run(
      job('x = 1', 'assert x == 1'),
      () => undefined,
      never()
    );
    expect(result.status).toBe('completed');
    expect((await users[0].done).content.status).toBe('error');
    executor.dispose();
  });

  it('sends previews of a slow attempt while cells of the user run', async () => {
    const executor = await fork();
    const progress: ExecutionProgress[] = [];
    const running = executor.run(
      job(
        'import time\nfor n in range(25):\n    print(n); time.sleep(0.2)',
        'assert True is not None'
      ),
      event => progress.push(event),
      never()
    );
    let ended = false;
    void running.then(() => (ended = true));
    await until(() => progress.some(event => event.type === 'output'));
    expect(progress.slice(0, 2)).toEqual([
      { type: 'started' },
      {
        type: 'output',
        stream: 'stdout',
        text: expect.stringMatching(/^0/)
      }
    ]);
    expect(await cell('print(6 * 7)')).toBe('42');
    expect(await cell('1/0')).toBe('ZeroDivisionError');
    expect(ended).toBe(false);
    const execution = await running;
    expect(execution.status).toBe('completed');
    // Collected on the message of its end, not by a poll.
    expect(execution.totalMs - execution.durationMs).toBeLessThan(4000);
    executor.dispose();
  });

  it('stops a running attempt, not the user’s running cell', async () => {
    const executor = await fork();
    const stop = new AbortController();
    const running = executor.run(
      job(
        'print("so far", flush=True)\nimport time; time.sleep(60)',
        'assert True'
      ),
      () => undefined,
      stop.signal
    );
    await pause(600);
    const user = kernel.requestExecute({ code: 'import time; time.sleep(2)' });
    await pause(300);
    const began = Date.now();
    stop.abort();
    const result = await running;
    expect(Date.now() - began).toBeLessThan(10000);
    expect(result).toMatchObject({
      status: 'cut',
      stop: 'stopped',
      stdout: 'so far\n'
    });
    expect((await user.done).content.status).toBe('ok');
    executor.dispose();
  });

  it('never runs an attempt that was stopped while it queued', async () => {
    const executor = await fork();
    const user = kernel.requestExecute({
      code: 'import time; time.sleep(1.5)'
    });
    const stop = new AbortController();
    const running = executor.run(
      job('import os; os.close(2)', 'assert True'),
      () => undefined,
      stop.signal
    );
    await pause(400);
    stop.abort();
    expect(await running).toMatchObject({ status: 'cut', stop: 'stopped' });
    expect((await user.done).content.status).toBe('ok');
    expect(await cell('print(1)')).toBe('1');
    executor.dispose();
  });

  it('works again after a restart', async () => {
    const executor = await fork();
    await kernel.restart();
    await executor.prepare(never());
    const result = await executor.run(
      job('x = 1', 'assert x == 1'),
      () => undefined,
      never()
    );
    expect(result.status).toBe('completed');
    executor.dispose();
  });

  it('runs in a warm spare, unless a cell ran since', async () => {
    const executor = await fork();
    await cell('base = 1');
    const options = { allowNetwork: false, allowWrites: false };
    const run = () =>
      executor.run(
        job('seen = base', 'assert seen == 1'),
        () => undefined,
        never()
      );
    expect(await executor.warm?.(options)).toBe(true);
    expect((await run()).assertions[0].outcome).toBe('passed');
    expect(await executor.warm?.(options)).toBe(true);
    await cell('base = 2');
    expect((await run()).assertions[0]).toMatchObject({
      outcome: 'failed',
      observed: { repr: '2' }
    });
    executor.dispose();
  });
});
