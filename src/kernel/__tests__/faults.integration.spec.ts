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
    isolation: 'fork',
    allowLive: () => Promise.resolve(false)
  });
});

afterEach(async () => {
  executor.dispose();
  if (!kernel.isDisposed) {
    // The server cannot while it restarts a dead one; it ends all at the end.
    await kernel.shutdown().catch(() => undefined);
  }
});

const SLOW = 'import time; time.sleep(2.5)';

function run(
  candidate: string,
  check = 'assert True is not None',
  seconds = 20
) {
  const progress: ExecutionProgress[] = [];
  const result = executor.run(
    job(candidate, check, seconds),
    event => progress.push(event),
    new AbortController().signal
  );
  return { progress, result };
}

/** POST to the server as another client would. */
function post(action: 'restart' | 'interrupt'): Promise<unknown> {
  const { baseUrl, token } = server.settings;
  return fetch(`${baseUrl}api/kernels/${kernel.id}/${action}?token=${token}`, {
    method: 'POST'
  });
}

describe('attempts when things go wrong around them', () => {
  it('returns the verdict past the server’s limit on messages', async () => {
    const { result } = run('for i in range(200_000): print(i)');
    expect(await result).toMatchObject({
      status: expect.stringMatching(/completed|cut/),
      assertions: expect.any(Array)
    });
    expect((await result).stdout.startsWith('0\n1\n')).toBe(true);
    expect(await runCell(kernel, 'print(1)')).toBe('1');
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
    expect(await runCell(kernel, 'print(1)')).toBe('1');
  });

  it('goes on when the connection drops and comes back', async () => {
    const { result } = run(SLOW);
    await pause(600);
    const socket = (kernel as unknown as { _ws: { terminate(): void } })._ws;
    socket.terminate();
    expect((await result).status).toBe('completed');
  });

  it('gets the verdict when the connection drops in the queue', async () => {
    const user = kernel.requestExecute({ code: SLOW });
    const { result } = run('x = 1', 'assert x == 1');
    await pause(600);
    const socket = (kernel as unknown as { _ws: { terminate(): void } })._ws;
    socket.terminate();
    expect((await result).status).toBe('completed');
    user.dispose();
  });

  it.each([20, 60, 1000])(
    'ends with a live kernel on an interrupt after %i ms',
    async ms => {
      const { result } = run(SLOW);
      await pause(ms);
      await post('interrupt');
      expect((await result).status).toMatch(/completed|cut/);
      expect(await runCell(kernel, 'print(1)')).toBe('1');
    }
  );

  it('runs several attempts side by side', async () => {
    const began = Date.now();
    const results = await Promise.all(
      [1, 2, 3].map(n => run(`${SLOW}\nx = ${n}`, `assert x == ${n}`).result)
    );
    expect(results.map(result => result.assertions[0].outcome)).toEqual([
      'passed',
      'passed',
      'passed'
    ]);
    expect(Date.now() - began).toBeLessThan(7000);
  });
});
