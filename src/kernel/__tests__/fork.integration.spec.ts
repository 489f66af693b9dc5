/** @jest-environment node */
import type { Kernel } from '@jupyterlab/services';
import type { Execution } from '../../core/domain/execution';
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
  it('passes and fails without variables, history or output', async () => {
    await cell('base = [1, 2]');
    const seen: string[] = [];
    const executor = await fork();
    kernel.iopubMessage.connect((_, message) => {
      seen.push(message.header.msg_type);
    });
    const progress: ExecutionProgress[] = [];
    const passed = await executor.run(
      job('base.append(3)\nprint("hi")', 'assert base == [1, 2, 3]'),
      event => progress.push(event),
      never()
    );
    expect(passed).toMatchObject({
      status: 'completed',
      stdout: 'hi\n',
      assertions: [{ cellId: 'c', outcome: 'passed', line: 1 }],
      isolation: { mode: 'fork', memory: true }
    });
    expect(progress[0]).toEqual({ type: 'started' });
    const failed = await executor.run(
      job('total = len(base)', 'assert total == 3'),
      () => undefined,
      never()
    );
    expect(failed).toMatchObject({
      status: 'completed',
      assertions: [
        {
          outcome: 'failed',
          operator: '==',
          observed: { repr: '2' },
          expected: { repr: '3' }
        }
      ]
    });
    executor.dispose();
    expect([...new Set(seen)].sort()).toEqual(
      expect.not.arrayContaining(['stream', 'display_data', 'execute_input'])
    );
    expect(await cell('print(base, "total" in globals(), len(In))')).toBe(
      '[1, 2] False 3'
    );
  });

  it('judges hold-outs and a scorer of attempts at the same time', async () => {
    const executor = await fork();
    const holdout = (cellId: string, source: string) =>
      ({ cellId, index: 2, role: 'holdout', source, statements: 1 }) as const;
    const run = (body: string) =>
      executor.run(
        {
          ...job(`def f(x): return ${body}`, 'assert f(2) == 4, "visible"'),
          holdouts: [holdout('h', 'assert f(3) == 9')],
          scorer: {
            cellId: 's',
            index: 3,
            source: "def score(ns): return ns['f'](5)"
          },
          hiddenNames: []
        },
        () => undefined,
        never()
      );
    // At once, as parallel candidates are.
    const [right, wrong] = await Promise.all([run('x * x'), run('x + x')]);
    const outcomes = ({ assertions }: Execution) =>
      assertions.map(({ outcome }) => outcome);
    expect(outcomes(right)).toEqual(['passed', 'passed']);
    expect(right.scored).toMatchObject({ value: 25, confirmed: true });
    expect(outcomes(wrong)).toEqual(['passed', 'failed']);
    executor.dispose();
  });

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

  it.each([
    ['restart', 'kernel-restarted', () => kernel.restart()],
    ['shutdown', 'kernel-died', () => kernel.shutdown()]
  ] as const)('ends as cut on a %s', async (_, stop, act) => {
    const executor = await fork();
    const running = executor.run(
      job('import time; time.sleep(60)', 'assert True'),
      () => undefined,
      never()
    );
    await pause(600);
    await act();
    expect(await running).toMatchObject({ status: 'cut', stop });
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
