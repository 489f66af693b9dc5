/** @jest-environment node */
import { KernelAPI, type Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { IExecutor } from '../../core/domain/executor';
import { createExecutor, type ExecutorOptions } from '../create';
import { job, pause, runCell } from './jobs';
import { JupyterServer } from './jupyterServer';

jest.setTimeout(120_000);

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;
let executor: IExecutor & IDisposable;
let asked: string[][];

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  asked = [];
  kernel = await server.startKernel();
});

afterEach(async () => {
  executor?.dispose();
  if (!kernel.isDisposed) {
    await kernel.shutdown();
  }
  await noKernelLeft();
});

const never = () => new AbortController().signal;
const cell = (code: string) => runCell(kernel, code);

async function noKernelLeft() {
  for (;;) {
    const models = await KernelAPI.listRunning(server.settings);
    if (models.length === 0) {
      return;
    }
    await pause(100);
  }
}

async function create(
  isolation: ExecutorOptions['isolation'] = 'auto',
  allow = false
) {
  executor = await createExecutor(kernel, {
    isolation,
    allowLive: reasons => {
      asked.push([...reasons]);
      return Promise.resolve(allow);
    }
  });
  return executor;
}

const run = (
  candidate: string,
  check: string,
  seconds?: number,
  signal = never()
) => executor.run(job(candidate, check, seconds), () => undefined, signal);

/** A real polars whose pools run: the kernel cannot be forked any more. */
const POLARS = `
import polars as pl
sales = pl.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})
totals = sales.group_by("region").agg(pl.col("amount").sum())
def largest(frame):
    return frame.sort("amount").row(-1)
`;

describe('attempts in a second kernel, beside a kernel with the pools of polars', () => {
  it('end with the user’s kernel', async () => {
    await cell(POLARS);
    await create();
    let started = false;
    const running = executor.run(
      job('print("runs", flush=True)\nimport time; time.sleep(60)', 'assert 1'),
      event => (started ||= event.type === 'output'),
      never()
    );
    while (!started) {
      await pause(50);
    }
    await kernel.shutdown();
    expect(await running).toMatchObject({ status: 'cut', stop: 'kernel-died' });
    await noKernelLeft();
  });

  it('begin again after a restart of the user’s kernel', async () => {
    await cell(POLARS);
    await create();
    await run('x = sales.height', 'assert x == 3');
    await kernel.restart();
    await executor.prepare(never());
    await cell('sales = [1]');
    const execution = await run('x = len(sales)', 'assert x == 1');
    expect(execution.assertions).toMatchObject([{ outcome: 'passed' }]);
  });
});
