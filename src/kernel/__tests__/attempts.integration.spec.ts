/** @jest-environment node */
/** Attempts on real kernels of a real server, in each form of isolation. */
import { KernelAPI, type Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from '../../core/domain/executor';
import { makeRequest } from '../../core/__tests__/requests';
import { run as session } from '../../core/__tests__/sessions';
import { FakeModel } from '../../testing/fakeModel';
import { createExecutor, type ExecutorOptions } from '../create';
import { job, JupyterServer, pause, runCell, until } from './jupyterServer';

jest.setTimeout(120_000);

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;
let executor: IExecutor & IDisposable;

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  kernel = await server.startKernel();
});

afterEach(async () => {
  executor.dispose();
  if (!kernel.isDisposed) {
    // The server cannot while it restarts a dead one; it ends all at the end.
    await kernel.shutdown().catch(() => undefined);
  }
});

const cell = (code: string) => runCell(kernel, code);

async function start(isolation: ExecutorOptions['isolation']) {
  executor = await createExecutor(kernel, {
    isolation,
    allowLive: () => Promise.resolve(false)
  });
}

/** Run an attempt with one check. */
function run(
  candidate: string,
  check = 'assert True is not None',
  seconds = 20,
  fields: Partial<ExecutionJob> = {}
) {
  const progress: ExecutionProgress[] = [];
  const stop = new AbortController();
  const result = executor.run(
    { ...job(candidate, check, seconds), ...fields },
    event => progress.push(event),
    stop.signal
  );
  return { progress, result, stop };
}

describe('attempts in a fork of a real kernel', () => {
  beforeEach(() => start('fork'));

  it('waits for its turn to start, then runs beside a cell', async () => {
    const user = kernel.requestExecute({
      code: 'import time; time.sleep(1.5)'
    });
    const { progress, result } = run('x = 1', 'assert x == 1');
    expect((await result).status).toBe('completed');
    expect(progress.map(event => event.type).slice(0, 2)).toEqual([
      'waiting',
      'started'
    ]);
    expect((await user.done).content.status).toBe('ok');
  });

  it('sends previews of a slow attempt while cells of the user run', async () => {
    const { progress, result: running } = run(
      'import time\nfor n in range(25):\n    print(n); time.sleep(0.2)'
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
  });

  it('stops a running attempt, not the user’s running cell', async () => {
    const { result: running, stop } = run(
      'print("so far", flush=True)\nimport time; time.sleep(60)'
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
  });

  it('never runs an attempt that was stopped while it queued', async () => {
    const user = kernel.requestExecute({
      code: 'import time; time.sleep(1.5)'
    });
    const { result: running, stop } = run('import os; os.close(2)');
    await pause(400);
    stop.abort();
    expect(await running).toMatchObject({ status: 'cut', stop: 'stopped' });
    expect((await user.done).content.status).toBe('ok');
    expect(await cell('print(1)')).toBe('1');
  });

  it('works again after a restart', async () => {
    await kernel.restart();
    await executor.prepare(new AbortController().signal);
    const { result } = run('x = 1', 'assert x == 1');
    expect((await result).status).toBe('completed');
  });

  it('runs in a warm spare, unless a cell ran since', async () => {
    await cell('base = 1');
    const options = { allowNetwork: false, allowWrites: false };
    const seen = () => run('seen = base', 'assert seen == 1').result;
    expect(await executor.warm?.(options)).toBe(true);
    expect((await seen()).assertions[0].outcome).toBe('passed');
    expect(await executor.warm?.(options)).toBe(true);
    await cell('base = 2');
    expect((await seen()).assertions[0]).toMatchObject({
      outcome: 'failed',
      observed: { repr: '2' }
    });
  });
});

describe('attempts when things go wrong around them', () => {
  const SLOW = 'import time; time.sleep(2.5)';

  /** POST to the server as another client would. */
  function post(action: 'restart' | 'interrupt'): Promise<unknown> {
    const { baseUrl, token } = server.settings;
    return fetch(
      `${baseUrl}api/kernels/${kernel.id}/${action}?token=${token}`,
      {
        method: 'POST'
      }
    );
  }

  beforeEach(() => start('fork'));

  it('returns the verdict past the server’s limit on messages', async () => {
    const { result } = run('for i in range(200_000): print(i)');
    expect(await result).toMatchObject({
      status: expect.stringMatching(/completed|cut/),
      assertions: expect.any(Array)
    });
    expect((await result).stdout.startsWith('0\n1\n')).toBe(true);
    expect(await cell('print(1)')).toBe('1');
  });

  it('is cut when a cell of the user kills the kernel', async () => {
    const { result } = run('import time; time.sleep(30)', 'assert True', 40);
    await pause(600);
    kernel
      .requestExecute({ code: 'import os; os.kill(os.getpid(), 9)' })
      .done.catch(() => undefined);
    expect(await result).toMatchObject({ status: 'cut', stop: 'kernel-died' });
  });

  it('is cut when another client restarts the kernel', async () => {
    const { result } = run('import time; time.sleep(30)', 'assert True', 40);
    await pause(600);
    await post('restart');
    expect(await result).toMatchObject({
      status: 'cut',
      stop: expect.stringMatching(/^kernel-/)
    });
    // The client connects again on its own, and fails aloud where that is cut off.
    expect(await cell('print(1)')).toBe('1');
  });

  it('goes on when the connection drops and comes back', async () => {
    const { result } = run(SLOW);
    await pause(600);
    const socket = (kernel as unknown as { _ws: { terminate(): void } })._ws;
    socket.terminate();
    expect((await result).status).toBe('completed');
  });

  it.each([20, 60, 1000])(
    'ends with a live kernel on an interrupt after %i ms',
    async ms => {
      const { result } = run(SLOW);
      await pause(ms);
      await post('interrupt');
      expect((await result).status).toMatch(/completed|cut/);
      expect(await cell('print(1)')).toBe('1');
    }
  );
});

describe('attempts in a live ipykernel', () => {
  beforeEach(() => start('live'));

  it('passes, fails and raises, and the kernel keeps what they did', async () => {
    expect(
      await run('print("hi")\nx = 41', 'assert x == 41').result
    ).toMatchObject({
      status: 'completed',
      stdout: 'hi\n',
      tampering: [],
      assertions: [{ outcome: 'passed' }],
      isolation: { mode: 'live', memory: false }
    });
    expect(await run('x += 1', 'assert x == 41').result).toMatchObject({
      status: 'completed',
      assertions: [{ outcome: 'failed', error: { name: 'AssertionError' } }]
    });
    const raised = await run('y = 1\nx[0]', 'assert True').result;
    expect(raised).toMatchObject({
      status: 'error',
      error: { name: 'TypeError', candidateLine: 2 },
      assertions: [{ outcome: 'not-run' }]
    });
    expect(raised.error?.traceback).not.toContain('\x1b');
    expect(await cell('print(x, len(In))')).toBe('42 2');
  });

  it('interrupts an endless loop at its limit', async () => {
    const result = await run('while True: pass', 'assert True', 1).result;
    expect(result).toMatchObject({ status: 'cut', stop: 'timeout' });
    expect(await cell('print(1)')).toBe('1');
  });

  it('interrupts only its own execution on a stop', async () => {
    const user = kernel.requestExecute({
      code: 'import time; time.sleep(1.5)'
    });
    const queued = run('bad = 1', 'assert bad');
    await pause(300);
    queued.stop.abort();
    expect(await queued.result).toMatchObject({ stop: 'stopped' });
    expect((await user.done).content.status).toBe('ok');
    const running = run(
      'print("so far", flush=True)\ntime.sleep(30)',
      'assert 1'
    );
    await pause(1000);
    running.stop.abort();
    expect(await running.result).toMatchObject({
      status: 'cut',
      stop: 'stopped',
      stdout: 'so far\n'
    });
    expect(await cell('print("bad" in globals())')).toBe('False');
  });

  it('runs check cells a statement at a time', async () => {
    const check = [
      'expected = 41',
      'assert x == expected',
      'x == 0',
      'assert x == 0, "no"',
      'assert x'
    ].join('\n');
    expect((await run('x = 41', check).result).assertions).toMatchObject([
      { id: 'c:2', line: 2, source: 'assert x == expected', outcome: 'passed' },
      { line: 4, outcome: 'failed', error: { message: 'no' } },
      { line: 5, outcome: 'passed' }
    ]);
  });

  it.each([
    ['only shows a value', 'x == 42', { outcome: 'passed', source: 'x == 42' }],
    ['cannot be parsed', 'assert (', { error: { name: 'SyntaxError' } }],
    [
      'has a set-up that fails',
      'z = 1 / 0\nassert x == 41',
      { line: 2, outcome: 'error', error: { name: 'ZeroDivisionError' } }
    ]
  ])('reports a check cell that %s', async (_, check, result) => {
    expect((await run('x = 41', check).result).assertions).toMatchObject([
      result
    ]);
  });

  it('runs test functions and classes of unittest', async () => {
    const check = `
import unittest
class SquareTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(square(2), 4)
    def test_three(self):
        self.assertEqual(square(3), 9)
class Empty(unittest.TestCase):
    @unittest.skip("later")
    def test_later(self): pass
async def test_zero():
    assert square(0) == 0
def test_four():
    assert square(4) == 16
`;
    const wrong = 'def square(n): return n + n';
    expect((await run(wrong, check).result).assertions).toMatchObject([
      { line: 3, outcome: 'failed', error: { name: 'AssertionError' } },
      { line: 8, outcome: 'failed' },
      { line: 11, outcome: 'passed' },
      { line: 13, outcome: 'failed' }
    ]);
    const right = 'def square(n): return n * n';
    expect(
      (await run(right, check).result).assertions.map(a => a.outcome)
    ).toEqual(['passed', 'failed', 'passed', 'passed']);
  });
});

/** A real polars whose pools run: the kernel cannot be forked any more. */
const POLARS = `
import polars as pl
sales = pl.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})
totals = sales.group_by("region").agg(pl.col("amount").sum())
def largest(frame):
    return frame.sort("amount").row(-1)
`;

describe('attempts in a second kernel, beside a kernel with the pools of polars', () => {
  const running = async () =>
    (await KernelAPI.listRunning(server.settings)).length;

  it('end with the user’s kernel', async () => {
    const before = await running();
    await cell(POLARS);
    await start('auto');
    const { progress, result } = run(
      'print("runs", flush=True)\nimport time; time.sleep(60)'
    );
    await until(() => progress.some(event => event.type === 'output'));
    await kernel.shutdown();
    expect(await result).toMatchObject({ status: 'cut', stop: 'kernel-died' });
    while ((await running()) >= before) {
      await pause(100);
    }
  });
});

const scorer = (source: string) => ({
  scorer: { cellId: 's', index: 3, source }
});

describe('a scorer in a fork of a real kernel', () => {
  it.each(['fork', 'sidecar'] as const)(
    'ends a session when it can measure nothing (%s)',
    async isolation => {
      await start(isolation);
      const generator = new FakeModel([
        '```python\ndef fibonacci(n):\n    return 55 if n > 1 else 1\n```'
      ]);
      const { outcome } = await session(
        makeRequest({
          ...scorer('def score(ns): return ns["predict"](nowhere)'),
          hiddenData: ['nowhere'],
          options: { maxAttempts: 2 }
        }),
        { executor, generator }
      );
      expect(generator.requests).toHaveLength(1);
      expect(outcome.error).toMatchObject({ code: 'broken-check' });
      expect(outcome.error?.message).toContain(
        'The scorer failed: nowhere is not there'
      );
    }
  );
});

describe('evaluators in the live kernel', () => {
  beforeEach(() => start('live'));

  it('static checks prevent the run', async () => {
    const source = 'seen_live = 1\ny = (1 +';
    const gated = await run(source, 'assert x', 20, { static: 'gate' }).result;
    expect(gated).toMatchObject({
      status: 'error',
      error: { name: 'StaticError', candidateLine: 2 },
      findings: [{ severity: 'error' }],
      assertions: [{ outcome: 'not-run' }]
    });
    expect(await cell('print("seen_live" in dir())')).toBe('False');
    const fine = await run('x = 2', 'assert x', 20, { static: 'gate' }).result;
    expect(fine).toMatchObject({ status: 'completed', findings: [] });
  });

  it('nothing is scored or hidden, and that is reported', async () => {
    const fields = {
      ...scorer('def score(ns): return 1'),
      hiddenData: ['truth']
    };
    const execution = await run('x = 2', 'assert x', 20, fields).result;
    expect(execution.scored).toMatchObject({
      value: null,
      error: { name: 'ScorerError' }
    });
    expect(execution.warnings).toContain(
      'truth is not hidden: attempts run in your kernel itself here.'
    );
    const failed = await run('x = 0', 'assert x', 20, fields).result;
    expect(failed.scored).toBeUndefined();
  });
});
