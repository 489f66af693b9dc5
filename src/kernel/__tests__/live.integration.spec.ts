/** @jest-environment node */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { ExecutionProgress, IExecutor } from '../../core/domain/executor';
import { createExecutor } from '../create';
import { job, pause, runCell } from './jobs';
import { JupyterServer } from './jupyterServer';

jest.setTimeout(60_000);

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;
let executor: IExecutor & IDisposable;

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  kernel = await server.startKernel();
  executor = await createExecutor(kernel, {
    isolation: 'live',
    allowLive: () => Promise.resolve(false)
  });
});

afterEach(async () => {
  executor.dispose();
  await kernel.shutdown();
});

function run(candidate: string, check: string, seconds = 20) {
  const progress: ExecutionProgress[] = [];
  const stop = new AbortController();
  const result = executor.run(
    job(candidate, check, seconds),
    event => progress.push(event),
    stop.signal
  );
  return { progress, result, stop };
}

describe('attempts in a live ipykernel', () => {
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
    expect(await runCell(kernel, 'print(x, len(In))')).toBe('42 2');
  });

  it('interrupts an endless loop at its limit', async () => {
    const result = await run('while True: pass', 'assert True', 1).result;
    expect(result).toMatchObject({ status: 'cut', stop: 'timeout' });
    expect(await runCell(kernel, 'print(1)')).toBe('1');
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
    expect(await runCell(kernel, 'print("bad" in globals())')).toBe('False');
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

  it('holds a check cell that only shows a value to run to its end', async () => {
    expect((await run('x = 41', 'x == 42').result).assertions).toMatchObject([
      { source: 'x == 42', outcome: 'passed' }
    ]);
    expect((await run('x = 41', 'z == 42').result).assertions).toMatchObject([
      { outcome: 'error', error: { name: 'NameError' } }
    ]);
  });

  it('reports a check cell that cannot be parsed as an error', async () => {
    expect((await run('x = 41', 'assert (').result).assertions).toMatchObject([
      { outcome: 'error', error: { name: 'SyntaxError' } }
    ]);
  });

  it('reports checks below a failed set-up as errors', async () => {
    const check = 'z = 1 / 0\nassert x == 41';
    expect((await run('x = 41\nz = 1', check).result).assertions).toMatchObject(
      [{ line: 2, outcome: 'error', error: { name: 'ZeroDivisionError' } }]
    );
  });
});
