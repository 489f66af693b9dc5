/** @jest-environment node */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { RefineError } from '../../../core/errors';
import type { Isolation } from '../../../core/execution';
import type { RefineRequest } from '../../../core/request';
import { settingsSchema } from '../../../core/settings';
import { parseEvents } from '../../../core/journal';
import { createExecutor } from '../../../kernel';
import { FakeExecutor, type FakeRun } from '../../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../../testing/fakeModel';
import { NotebookSession } from '../session';
import { readJournal } from '../sessionJournal';
import { sharedNotebook } from './sharedNotebook';

jest.mock('../../../kernel', () => ({ createExecutor: jest.fn() }));

const START = '# one: 1';
const CODE = 'one = 1';
const ANSWER = `Set it.\n\n\`\`\`python\n${CODE}\n\`\`\`\n`;

const assertion = (outcome: 'passed' | 'failed') => ({
  id: 'cell1:1',
  cellId: 'cell1',
  role: 'assertion' as const,
  line: 1,
  source: 'assert one == 1',
  outcome,
  durationMs: 1
});

function setUp(
  answers: readonly FakeAnswer[],
  runs: readonly FakeRun[] = [{ assertions: [assertion('passed')] }],
  isolation: Partial<Isolation> = {}
) {
  const model = sharedNotebook([START, 'assert one == 1']);
  const panel = {
    isDisposed: false,
    content: { model },
    context: { path: 'a.ipynb', ready: Promise.resolve() },
    sessionContext: {
      ready: Promise.resolve(),
      hasNoKernel: false,
      session: { kernel: { status: 'idle' } }
    }
  } as unknown as NotebookPanel & { disposed: Signal<NotebookPanel, void> };
  Object.assign(panel, { disposed: new Signal(panel) });
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key)
  };
  const run = jest.fn().mockResolvedValue(true);
  const ports = {
    panel,
    trans: nullTranslator.load('jupyterlab_refine'),
    dialogs: null,
    storage,
    acceptance: { run, provenanceOf: () => undefined }
  };
  const executor = Object.assign(new FakeExecutor(runs, { isolation }), {
    isDisposed: false,
    dispose: jest.fn()
  });
  jest.mocked(createExecutor).mockReset().mockResolvedValue(executor);
  const generator = new FakeModel(answers);
  const options = settingsSchema.parse({ maxAttempts: 2 });
  const request: Omit<RefineRequest, 'session'> = {
    path: 'a.ipynb',
    language: 'python',
    target: { cellId: 'cell0', index: 0, kind: 'code', source: START },
    prompt: 'one: 1',
    promptOrigin: 'comment',
    assertions: [
      {
        cellId: 'cell1',
        index: 1,
        role: 'assertion',
        source: 'assert one == 1',
        statements: 1
      }
    ],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options
  };
  const start = {
    mode: 'refine' as const,
    model: generator,
    options,
    request: (session: string) => Promise.resolve({ ...request, session })
  };
  const source = () => model.cells.get(0).sharedModel.getSource();
  const session = new NotebookSession('cell0', ports);
  return {
    executor,
    generator,
    panel,
    ports,
    run,
    session,
    source,
    start,
    storage
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  expect(holds()).toBe(true);
}

describe('NotebookSession', () => {
  it('writes and runs what passed, and lets the executor go', async () => {
    const { executor, run, session, source, start } = setUp([ANSWER]);
    await session.run(start);
    expect(session.state?.outcome).toMatchObject({
      passed: true,
      stopReason: 'passed'
    });
    expect(source()).toBe(CODE);
    expect(run).toHaveBeenCalledWith(['cell0', 'cell1']);
    expect(session.acceptance.state?.status).toBe('ran');
    expect(executor.dispose).toHaveBeenCalledTimes(1);
    expect(session.isRunning).toBe(false);
  });

  it('leaves the cell alone when nothing passed, and goes on when asked', async () => {
    const failed = { assertions: [assertion('failed')] };
    const { generator, session, source, start } = setUp(
      [ANSWER, ANSWER.replace('= 1', '= 2'), ANSWER.replace('= 1', '= 3')],
      [failed]
    );
    await session.run(start);
    expect(session.state?.outcome?.stopReason).toBe('max-attempts');
    expect(source()).toBe(START);
    await session.run({ ...start, hint: 'think' });
    expect(session.state?.attempts.at(-1)?.attempt).toBe(4);
    expect(JSON.stringify(generator.requests[2])).toContain('think');
  });

  it('stops while the model writes, with what there is', async () => {
    const { generator, session, source, start } = setUp([
      [{ type: 'text', text: 'Set' }, { type: 'hang' }]
    ]);
    const running = session.run(start);
    await until(() => generator.active > 0);
    session.stop();
    await running;
    expect(session.state?.outcome?.stopReason).toBe('stopped');
    expect(generator.active).toBe(0);
    expect(source()).toBe(START);
  });

  it('ends with its notebook', async () => {
    const { generator, panel, session, start } = setUp([[{ type: 'hang' }]]);
    const running = session.run(start);
    await until(() => generator.active > 0);
    panel.disposed.emit();
    await running;
    expect(generator.active).toBe(0);
    expect(session.isDisposed).toBe(true);
  });

  it('says in a sentence why it could not start', async () => {
    const { session, start } = setUp([ANSWER]);
    jest
      .mocked(createExecutor)
      .mockRejectedValue(new RefineError('kernel', 'The kernel is dead.'));
    await session.run(start);
    expect(session.failure).toBe('The kernel is dead.');
    expect(session.state).toBeNull();
  });

  it('asks once before anything runs where files are open to attempts', async () => {
    const failed = { assertions: [assertion('failed')] };
    const { executor, session, start } = setUp([ANSWER], [failed], {
      files: 'open'
    });
    const running = session.run(start);
    await until(() => session.questions.current !== null);
    expect(session.questions.current).toMatchObject({
      subject: 'live',
      body: expect.stringMatching(/written or deleted for real/),
      choices: [{ id: 'no' }, { id: 'yes' }]
    });
    expect(executor.jobs).toHaveLength(0);
    session.questions.answer(session.questions.current!.id, 'yes');
    await running;
    const before = executor.jobs.length;
    expect(before).toBeGreaterThan(0);
    await session.run({ ...start, hint: 'think' });
    expect(session.questions.current).toBeNull();
  });

  it('runs nothing where that is not allowed, and asks nothing where it is', async () => {
    const denied = setUp([ANSWER], undefined, { network: false });
    const running = denied.session.run(denied.start);
    await until(() => denied.session.questions.current !== null);
    denied.session.questions.answer(denied.session.questions.current!.id, 'no');
    await running;
    expect(denied.session.failure).toMatch(/^Nothing was run/);
    expect(denied.executor.jobs).toHaveLength(0);
    expect(denied.executor.dispose).toHaveBeenCalledTimes(1);

    const allowed = setUp([ANSWER], undefined, { files: 'open' });
    const options = { ...allowed.start.options, allowWrites: true };
    void allowed.session.run({ ...allowed.start, options });
    await until(() => allowed.executor.jobs.length > 0);
    allowed.session.dispose();
  });

  it('is there after a reload, cut off, with every attempt, and can go on', async () => {
    const failed = { assertions: [assertion('failed')] };
    const first = setUp([ANSWER, [{ type: 'hang' }]], [failed]);
    const running = first.session.run(first.start);
    await until(() => first.generator.requests.length === 2);
    first.session.flush();
    const events = parseEvents(readJournal(first.storage, 'a.ipynb')!);
    first.session.stop();
    await running;

    const other = 'one = 2 - 1';
    const second = setUp([ANSWER.replace(CODE, other)]);
    const session = new NotebookSession('cell0', second.ports, events);
    expect(session.interrupted).toBe(true);
    expect(session.state?.attempts.map(a => [a.attempt, a.code])).toEqual([
      [1, CODE],
      [2, '']
    ]);
    await session.run(second.start);
    expect(session.interrupted).toBe(false);
    expect(session.state?.outcome?.best?.attempt).toBe(3);
    expect(second.source()).toBe(other);
  });
});
