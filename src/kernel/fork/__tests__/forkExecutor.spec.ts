/** @jest-environment node */
import { systemClock } from '../../../core/clock';
import type { AssertionResult } from '../../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress
} from '../../../core/domain/executor';
import { ForkExecutor } from '../forkExecutor';
import { KernelHarness } from '../../harness';
import { KERNEL_VERSION } from '../../kernelSource';
import { FakeKernel, type Sent } from '../../__tests__/fakeKernel';

const ISOLATION = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};

const HELLO = {
  version: KERNEL_VERSION,
  isolation: ISOLATION,
  control: true,
  pid: 42
};

const JOB: ExecutionJob = {
  id: 'a1',
  candidate: 'x = 1',
  assertions: [
    {
      cellId: 'c',
      index: 1,
      role: 'assertion',
      source: 'assert x',
      statements: 1
    }
  ],
  holdouts: [],
  limits: { seconds: 30 },
  contextValues: 'types',
  allowNetwork: false,
  allowWrites: false
};

const RESULT: AssertionResult = {
  id: 'c:1',
  cellId: 'c',
  role: 'assertion',
  line: 1,
  source: 'assert x',
  outcome: 'passed',
  durationMs: 1
};

const DONE = {
  state: 'done',
  execution: {
    id: 'a1',
    status: 'completed',
    stop: null,
    assertions: [RESULT],
    stdout: 'hello\n',
    stderr: '',
    displays: [],
    isolation: ISOLATION,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 7
  }
};

/** Answers `hello`; everything else is the test's. */
function helloOnly(sent: Sent): void {
  if (sent.request.op === 'hello') {
    sent.busy().answer(HELLO).idle();
  }
}

/** An executor that is prepared, on a kernel that answers `onSend` alone. */
async function start(onSend: (sent: Sent) => void = () => undefined) {
  const kernel = new FakeKernel();
  kernel.onSend = helloOnly;
  const executor = new ForkExecutor(
    new KernelHarness(kernel.connection, systemClock),
    systemClock
  );
  await executor.prepare(new AbortController().signal);
  kernel.onSend = onSend;
  const stop = new AbortController();
  const progress: ExecutionProgress[] = [];
  const run = (job = JOB) =>
    executor.run(job, event => progress.push(event), stop.signal);
  return { kernel, executor, run, stop, progress };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** The end of a run, after so much time. */
async function end<T>(running: Promise<T>, ms = 10): Promise<T> {
  await pass(ms);
  return running;
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('ForkExecutor.prepare', () => {
  const prepare = (kernel: FakeKernel) =>
    new ForkExecutor(
      new KernelHarness(kernel.connection, systemClock),
      systemClock
    ).prepare(new AbortController().signal);

  it('gives the kernel part the names of variables with keys', async () => {
    const kernel = new FakeKernel();
    const asked: unknown[] = [];
    kernel.onSend = sent => {
      asked.push(sent.request);
      helloOnly(sent);
    };
    await new ForkExecutor(
      new KernelHarness(kernel.connection, systemClock, ['CORP_KEY']),
      systemClock
    ).prepare(new AbortController().signal);
    expect(asked).toEqual([{ op: 'hello', keyVariables: ['CORP_KEY'] }]);
  });

  it('gives up on a kernel that is free and does not answer', async () => {
    const prepared = prepare(new FakeKernel()).catch(e => e);
    await pass(14000);
    await pass(2000);
    expect(await prepared).toMatchObject({
      kind: 'kernel',
      code: 'kernel-dead',
      message: expect.stringContaining('within 15 s')
    });
  });
});

describe('ForkExecutor.run', () => {
  it('stops sending it again after 21 times, with the number', async () => {
    const { run } = await start(sent => sent.reply({ status: 'aborted' }));
    const running = run().catch(e => e);
    await pass(20_000);
    expect(await running).toMatchObject({
      kind: 'kernel',
      code: 'kernel-busy',
      details: { numbers: { sent: 21 } }
    });
  });

  it('says when the kernel stands at a breakpoint', async () => {
    const { run, kernel, progress } = await start();
    const cell = kernel.foreign('u1').busy(4);
    void run();
    await pass(200);
    cell.iopub('debug_event', { event: 'stopped' });
    await pass(200);
    expect(progress.map(p => 'reason' in p && p.reason)).toEqual([
      'waiting for the kernel: cell [4] is running',
      'waiting for the kernel: stopped at a breakpoint'
    ]);
  });

  it('finds the end within a second when every preview is lost', async () => {
    let looks = 0;
    const { run } = await start(sent => {
      if (sent.request.op === 'attempt') {
        sent.answer({ state: 'running' });
      } else {
        sent.answer(++looks < 3 ? { state: 'running' } : DONE);
      }
    });
    expect((await end(run(), 3000)).totalMs).toBe(3000);
  });

  it('asks over the shell where there is no control channel', async () => {
    const kernel = new FakeKernel();
    kernel.onSend = sent =>
      sent.request.op === 'hello'
        ? sent.answer({ ...HELLO, control: false })
        : sent.answer(
            sent.request.op === 'attempt' ? { state: 'running' } : DONE
          );
    const executor = new ForkExecutor(
      new KernelHarness(kernel.connection, systemClock),
      systemClock
    );
    const { signal } = new AbortController();
    await executor.prepare(signal);
    const running = executor.run(JOB, () => undefined, signal);
    await pass(1000);
    expect((await running).status).toBe('completed');
    expect(kernel.ops('collect').map(sent => sent.channel)).toEqual(['shell']);
  });

  it('ends within a second of a stop when the kernel is deaf', async () => {
    const { run, stop } = await start(sent => {
      if (sent.request.op === 'attempt') {
        sent.busy().answer({ state: 'running' }).idle();
      }
    });
    const running = run();
    await pass(100);
    stop.abort();
    await pass(1000);
    expect(await running).toMatchObject({ stop: 'stopped', totalMs: 1100 });
  });

  it('names the wrong field of a report that cannot be read', async () => {
    const { run } = await start(sent =>
      sent.answer({
        state: 'done',
        execution: { ...DONE.execution, stdout: 5 }
      })
    );
    expect(await run()).toMatchObject({
      stop: 'harness',
      stopMessage: expect.stringContaining('stdout') as string
    });
  });

  it('reports an error in the kernel part', async () => {
    const { run } = await start(sent =>
      sent.answer({ state: 'error', code: 'bug', message: 'no such thing' })
    );
    await expect(run()).rejects.toThrow('no such thing');
  });

  describe('a fork that fails before the candidate begins', () => {
    const FAILED = {
      state: 'refused',
      code: 'child-failed',
      message: 'The forked kernel could not start: no room',
      traceback: 'Traceback (most recent call last): no room'
    };

    it('is tried once more', async () => {
      const { run, kernel } = await start(sent =>
        sent.answer(kernel.ops('attempt').length === 1 ? FAILED : DONE)
      );
      expect((await run()).status).toBe('completed');
      expect(kernel.ops('attempt')).toHaveLength(2);
    });
  });

  it('refuses a second attempt with the id of one that runs', async () => {
    const { run, kernel } = await start();
    const first = run();
    await expect(run()).rejects.toThrow('The attempt “a1” is running already.');
    kernel.ops('attempt')[0].answer(DONE);
    expect((await first).status).toBe('completed');
    kernel.onSend = sent => sent.answer(DONE);
    expect((await run()).status).toBe('completed');
  });

  it('installs the kernel part again when it has gone, and goes on', async () => {
    let gone = true;
    const { run, kernel } = await start(sent => {
      switch (sent.request.op) {
        case 'install':
          gone = false;
          sent.reply({
            status: 'ok',
            user_expressions: { r: { status: 'ok' } }
          });
          break;
        case 'hello':
          sent.answer(gone ? { ...HELLO, version: 'older' } : HELLO);
          break;
        default:
          if (gone) {
            sent.raise('KeyError', "'_jupyterlab_refine'");
          } else {
            sent.answer(DONE);
          }
      }
    });
    expect((await run()).status).toBe('completed');
    expect(kernel.ops('attempt')).toHaveLength(2);
  });

  it('sends it again when the kernel never got it', async () => {
    let sends = 0;
    const { run, kernel } = await start(sent => {
      if (sent.request.op === 'attempt') {
        if (++sends === 2) {
          sent.answer(DONE);
        }
      } else {
        sent.answer({ state: 'unknown' });
      }
    });
    expect((await end(run(), 6000)).status).toBe('completed');
    expect(kernel.ops('attempt')).toHaveLength(2);
  });

  it('repeats an attempt once when its result was lost', async () => {
    let lost = 2;
    const { run, kernel } = await start(sent => {
      if (sent.request.op === 'attempt') {
        sent.answer({ state: 'running' });
      } else {
        sent.answer(lost-- > 0 ? { state: 'unknown' } : DONE);
      }
    });
    const first = run();
    await pass(3000);
    expect(await first).toMatchObject({ status: 'cut', stop: 'interrupted' });
    expect(kernel.ops('attempt')).toHaveLength(2);
    lost = 1;
    const second = run();
    await pass(3000);
    expect((await second).status).toBe('completed');
  });

  it('ends by itself when the kernel part ignores the limit', async () => {
    const { run, kernel } = await start(sent =>
      sent.answer(
        sent.request.op === 'cancel' ? { ok: true } : { state: 'running' }
      )
    );
    expect(
      await end(run({ ...JOB, limits: { seconds: 2 } }), 20_000)
    ).toMatchObject({
      status: 'cut',
      stop: 'timeout',
      stopMessage: expect.stringContaining('limit 2 s')
    });
    expect(kernel.ops('cancel')).toHaveLength(1);
  });
});

describe('ForkExecutor.warm', () => {
  const OPTIONS = {
    allowNetwork: false,
    allowWrites: true,
    notebookPath: 'a/b.ipynb'
  };

  async function warm(onSend: (sent: Sent) => void) {
    const { executor, kernel } = await start(onSend);
    const warming = executor.warm(OPTIONS);
    await pass(1);
    return { kernel, ready: await warming };
  }

  it.each([
    ['has none to give', (sent: Sent) => sent.answer({ state: 'not-now' })],
    [
      'refuses to fork',
      (sent: Sent) => sent.answer({ state: 'refused', code: 'x', message: 'x' })
    ],
    [
      'is of an older version',
      (sent: Sent) =>
        sent.answer({ state: 'error', code: 'unknown-op', message: '' })
    ],
    ['was restarted', (sent: Sent) => sent.raise('KeyError', 'x')],
    ['drops it', (sent: Sent) => sent.reply({ status: 'aborted' })]
  ])('says no when the kernel %s', async (_, onSend) => {
    expect((await warm(onSend)).ready).toBe(false);
  });

  it('sends nothing to a busy or dead kernel, nor twice', async () => {
    const { executor, kernel } = await start();
    const cell = kernel.foreign('u1').busy(2);
    const behind = executor.warm(OPTIONS);
    await pass(200);
    expect(await behind).toBe(false);
    cell.idle();
    const first = executor.warm(OPTIONS);
    expect(await executor.warm(OPTIONS)).toBe(false);
    await pass(1);
    expect(kernel.ops('prepare')).toHaveLength(1);
    kernel.ops('prepare')[0].answer({ state: 'ready' });
    expect(await first).toBe(true);
    kernel.status = 'dead';
    const dead = executor.warm(OPTIONS);
    await pass(1);
    expect(await dead).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('an attempt with secrets', () => {
  const GONE = { state: 'refused', code: 'prepare-first', message: 'Gone.' };
  const SECRETS: ExecutionJob = {
    ...JOB,
    notebookPath: 'work.ipynb',
    holdouts: [
      {
        cellId: 'h',
        index: 2,
        role: 'holdout',
        source: 'assert canary_1',
        statements: 1
      }
    ],
    scorer: { cellId: 's', index: 3, source: 'canary_2' },
    hiddenNames: ['canary_3']
  };

  /** @param answers - to the first request of each operation, the second …; the last again. */
  async function startWith(answers: Readonly<Record<string, unknown[]>>) {
    const asked: Record<string, unknown>[] = [];
    const started = await start(sent => {
      const { op } = sent.request as { op: string };
      const before = asked.filter(one => one.op === op).length;
      asked.push(sent.request);
      const own = answers[op] ?? [{}];
      sent
        .busy()
        .answer(own[Math.min(before, own.length - 1)])
        .idle();
    });
    return { ...started, asked };
  }
  const operations = (asked: readonly { readonly op?: unknown }[]) =>
    asked.map(({ op }) => op);

  it('is sent once a fork waits for it', async () => {
    const { run, asked } = await startWith({
      prepare: [{ state: 'ready' }],
      attempt: [DONE]
    });
    expect(await end(run(SECRETS))).toMatchObject({ status: 'completed' });
    expect(asked).toMatchObject([
      {
        op: 'prepare',
        force: true,
        notebookPath: 'work.ipynb'
      },
      { op: 'attempt', job: { id: 'a1', hiddenNames: ['canary_3'] } }
    ]);
    expect(JSON.stringify(asked[0])).not.toContain('canary');
  });

  it('is sent again while its fork is taken', async () => {
    const { run, asked } = await startWith({
      prepare: [{ state: 'ready' }, { state: 'ready' }],
      attempt: [GONE, DONE]
    });
    expect(await end(run(SECRETS), 100)).toMatchObject({ status: 'completed' });
    expect(operations(asked)).toEqual([
      'prepare',
      'attempt',
      'prepare',
      'attempt'
    ]);
  });

  it('ends with an error where no fork stays', async () => {
    const { run, asked } = await startWith({
      prepare: [{ state: 'ready' }],
      attempt: [GONE]
    });
    const running = expect(run(SECRETS)).rejects.toMatchObject({
      code: 'kernel-busy'
    });
    await pass(1000);
    await running;
    expect(asked.length).toBeGreaterThan(10);
  });

  it('is refused where the kernel cannot be forked', async () => {
    const { run, asked } = await startWith({
      prepare: [{ state: 'refused', code: 'fork-unsafe', message: 'Polars.' }]
    });
    const running = expect(run(SECRETS)).rejects.toMatchObject({
      code: 'kernel-refused',
      message: 'Polars.'
    });
    await pass(10);
    await running;
    expect(operations(asked)).toEqual(['prepare']);
  });
});
