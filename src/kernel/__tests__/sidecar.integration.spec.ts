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
  it('run with copies of used variables, unasked and confirmed', async () => {
    await cell(POLARS);
    await create();
    expect(await executor.prepare(never())).toMatchObject({
      mode: 'sidecar',
      memory: true,
      reasons: ['polars has started its threads, which do not survive a fork']
    });
    const candidate =
      'best = largest(sales.group_by("region").agg(pl.col("amount").sum()))\nsales = None';
    const passed = await run(candidate, 'assert best == ("n", 4)');
    expect(passed).toMatchObject({
      status: 'completed',
      assertions: [{ outcome: 'passed', confirmed: true }],
      tampering: [],
      warnings: []
    });
    expect(passed.isolation).toMatchObject({
      mode: 'sidecar',
      memory: true,
      copies: expect.arrayContaining(['sales', 'pl', 'largest'])
    });
    const failed = await run('best = len(sales)', 'assert best == 4');
    expect(failed.assertions).toMatchObject([
      { outcome: 'failed', observed: { repr: '3' } }
    ]);
    expect(asked).toEqual([]);
    expect(await cell('print(sales.height, "best" in globals())')).toBe(
      '3 False'
    );
  });

  it('name what cannot be copied and ask once for the live kernel', async () => {
    await cell(`${POLARS}\nimport sqlite3\nconn = sqlite3.connect(":memory:")`);
    await create('auto', true);
    const candidate = 'one = conn.execute("select 1").fetchone()[0]';
    const execution = await run(candidate, 'assert one == 1');
    expect(execution).toMatchObject({
      status: 'completed',
      assertions: [{ outcome: 'passed' }],
      isolation: { mode: 'live' }
    });
    expect(asked).toHaveLength(1);
    expect(asked[0].at(-1)).toContain(
      'conn: a sqlite3.Connection cannot be copied'
    );
    await run('two = 2', 'assert two == 2');
    expect(asked).toHaveLength(1);
  });

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
