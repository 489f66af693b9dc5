/** @jest-environment node */
import type { ExecutionJob } from '../../../core/domain/executor';
import { DONE, JOB, pass, start } from './fork';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
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
    const running = run(SECRETS);
    await pass(10);
    expect(await running).toMatchObject({ status: 'completed' });
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
    const running = run(SECRETS);
    await pass(100);
    expect(await running).toMatchObject({ status: 'completed' });
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

  it('is tried twice where the fork does not start', async () => {
    const { run, asked } = await startWith({
      prepare: [{ state: 'refused', code: 'child-failed', message: 'No.' }]
    });
    const running = expect(run(SECRETS)).rejects.toMatchObject({
      code: 'child-failed'
    });
    await pass(10);
    await running;
    expect(operations(asked)).toEqual(['prepare', 'prepare']);
  });
});
