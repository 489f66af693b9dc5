/** @jest-environment node */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import { nullTranslator } from '@jupyterlab/translation';
import { RefineError } from '../../../../core/errors';
import type { Isolation } from '../../../../core/domain/execution';
import type { CleanResult } from '../../../../core/domain/outcome';
import { checkCell, makeRequest } from '../../../../core/__tests__/requests';
import { parseEvents } from '../../../../core/events/journal';
import { createExecutor } from '../../../../kernel';
import type { ResultMetadata } from '../../../../notebook/provenance';
import type { FakeRun } from '../../../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../../../testing/fakeModel';
import type { CellRun } from '../../cells/notebookActions';
import type { CleanChecker } from '../../cells/cleanCheck';
import { NotebookSession } from '../session';
import { journalKey } from '../journal';
import { TabStore } from '../../tabStore';
import { held, mockExecutor } from '../../__tests__/driverFixture';
import {
  memoryStorage,
  notebookPanel,
  until
} from '../../__tests__/sharedNotebook';

jest.mock('../../../../kernel', () => ({ createExecutor: jest.fn() }));

const START = '# one: 1';
const CODE = 'one = 1';
const ANSWER = `Set it.\n\n\`\`\`python\n${CODE}\n\`\`\`\n`;

function setUp(
  answers: readonly FakeAnswer[],
  runs: readonly FakeRun[] = [held('passed')],
  isolation: Partial<Isolation> = {},
  settings: object = {},
  clean: CleanResult = {
    passed: true,
    message: 'Passes in a fresh kernel too.'
  }
) {
  const { model, panel } = notebookPanel([START, 'assert one == 1']);
  const tab = new TabStore(memoryStorage());
  const run = jest.fn().mockResolvedValue(true);
  const watchers: ((run: CellRun | null) => void)[] = [];
  const ports = {
    panel,
    trans: nullTranslator.load('jupyterlab_refine'),
    dialogs: null,
    tab,
    checkClean: jest.fn<Promise<CleanResult>, Parameters<CleanChecker>>(() =>
      Promise.resolve(clean)
    ),
    acceptance: {
      watchCells: (listener: (run: CellRun | null) => void) => {
        watchers.push(listener);
        return () => undefined;
      },
      run,
      review: () => null,
      provenanceOf: () => ({ passed: 1, total: 1 }) as ResultMetadata
    }
  };
  const executor = mockExecutor(runs, { isolation });
  const generator = new FakeModel(answers);
  const request = makeRequest({
    path: 'a.ipynb',
    target: { cellId: 'cell0', index: 0, kind: 'code', source: START },
    prompt: 'one: 1',
    promptOrigin: 'comment',
    assertions: [{ ...checkCell('assert one == 1', 1), cellId: 'cell1' }],
    options: { maxAttempts: 2, ...settings }
  });
  const start = {
    mode: 'refine' as const,
    model: generator,
    options: request.options,
    request: (session: string) => Promise.resolve({ ...request, session })
  };
  const source = () => model.cells.get(0).sharedModel.getSource();
  const session = new NotebookSession('cell0', ports);
  return {
    executor,
    generator,
    model,
    notify: (cellRun: CellRun | null) => watchers.forEach(w => w(cellRun)),
    panel,
    ports,
    run,
    session,
    source,
    start,
    tab
  };
}

it('gives the executor the names of the server’s key variables', async () => {
  const { ports, start } = setUp([ANSWER]);
  const session = new NotebookSession('cell0', {
    ...ports,
    keyVariables: () => ['CORP_KEY']
  });
  await session.run(start);
  expect(jest.mocked(createExecutor).mock.calls[0][1]).toMatchObject({
    keyVariables: ['CORP_KEY']
  });
  session.dispose();
});

it('asks for a kernel where none was chosen', async () => {
  const { panel, ports, start } = setUp([ANSWER]);
  Object.assign(panel.sessionContext, {
    ready: new Promise(() => undefined),
    hasNoKernel: true,
    startKernel: () => Promise.resolve(true),
    session: null
  });
  const selectKernel = jest.fn();
  const session = new NotebookSession('cell0', {
    ...ports,
    dialogs: { selectKernel, restart: jest.fn() }
  });
  await session.run(start);
  expect(selectKernel).toHaveBeenCalledTimes(1);
  session.dispose();
});

describe('a pass with confirmClean', () => {
  const confirming = (clean?: CleanResult) =>
    setUp([ANSWER], undefined, {}, { confirmClean: true }, clean);

  it('shows it after a reload of the page, too', async () => {
    const { ports, session, start, tab } = confirming();
    await session.run(start);
    // As when the page goes away.
    session.flush();
    const events = parseEvents(tab.get(journalKey('a.ipynb')));
    const again = new NotebookSession('cell0', ports, events);
    expect(again.clean.state?.status).toBe('passed');
    expect(again.state?.lastAt).toBe(session.state?.lastAt);
    again.dispose();
  });

  it('is not repeated without the setting, nor when nothing passed', async () => {
    const plain = setUp([ANSWER]);
    await plain.session.run(plain.start);
    expect(plain.ports.checkClean).not.toHaveBeenCalled();
    const failing = setUp(
      [ANSWER],
      [held('failed')],
      {},
      { confirmClean: true, maxAttempts: 1 }
    );
    await failing.session.run(failing.start);
    expect(failing.ports.checkClean).not.toHaveBeenCalled();
  });

  it('shows no result of an attempt that another run followed', async () => {
    const { ports, session, start } = confirming();
    let settle = (_: CleanResult) => {};
    ports.checkClean.mockImplementation(
      () =>
        new Promise(resolve => {
          settle = resolve;
        })
    );
    const first = session.run(start);
    await until(() => session.clean.state?.status === 'running');
    const second = session.run({ ...start, mode: 'check' });
    settle({ passed: true, message: 'late' });
    await Promise.all([first, second]);
    expect(session.clean.state).toBeNull();
    expect(session.state?.outcome?.clean).toBeUndefined();
  });

  it('says what it runs, and stops on Stop', async () => {
    const { session, ports, start } = confirming();
    ports.checkClean.mockImplementation(
      (_request, _candidate, signal, onPlan) => {
        onPlan('Runs in a fresh kernel: cell [1].');
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason))
        );
      }
    );
    const running = session.run(start);
    await until(() => session.clean.state?.status === 'running');
    expect(session.clean.state?.message).toBe(
      'Runs in a fresh kernel: cell [1].'
    );
    session.clean.stop();
    await running;
    expect(session.clean.state).toEqual({
      status: 'unknown',
      message: 'The check in a fresh kernel was stopped.'
    });
    expect(session.state?.outcome).toMatchObject({ passed: true });
    expect(session.state?.outcome?.clean).toBeUndefined();
  });
});

describe('NotebookSession', () => {
  it('says that it was stopped before it started', async () => {
    const { executor, generator, session, start } = setUp([ANSWER]);
    const whenStopped = (signal: AbortSignal | undefined): Promise<never> =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason))
      );
    jest
      .mocked(createExecutor)
      .mockImplementationOnce((_, { signal }) => whenStopped(signal));
    const first = session.run(start);
    await until(() => jest.mocked(createExecutor).mock.calls.length === 1);
    session.stop();
    await first;
    expect(session.failure).toBe('Stopped before anything ran.');
    expect(session.state).toBeNull();
    await session.run(start);
    expect(session.failure).toBeNull();
    const before = session.state;
    expect(before?.outcome?.passed).toBe(true);
    const again = session.run({
      ...start,
      request: (_id, _executor, signal) => whenStopped(signal)
    });
    await until(() => session.state?.phase === 'starting');
    session.stop();
    await again;
    expect(session.failure).toBe('Stopped before anything ran.');
    expect(session.state).toEqual(before);
    expect(generator.requests).toHaveLength(1);
    expect(executor.dispose).toHaveBeenCalledTimes(2);
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

  it('remembers all that was allowed in a notebook', async () => {
    const parts = setUp([ANSWER], undefined, { files: 'open' });
    const allowed = async (isolation: Partial<Isolation>) => {
      const executor = mockExecutor([{}], { isolation });
      const session = new NotebookSession('cell0', parts.ports);
      const running = session.run(parts.start);
      await until(
        () => session.questions.current !== null || executor.jobs.length > 0
      );
      const { current } = session.questions;
      if (current) {
        session.questions.answer(current.id, 'yes');
      }
      await running;
      return current !== null;
    };
    expect(await allowed({ files: 'open' })).toBe(true);
    expect(await allowed({ network: false })).toBe(true);
    expect(await allowed({ files: 'open', network: false })).toBe(false);
  });

  it('runs nothing without permission, asks nothing with it', async () => {
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
});

it('a session whose cells change goes on when its cell is only moved', async () => {
  const { model, session, start } = setUp([ANSWER]);
  const running = session.run(start);
  model.sharedModel.moveCell(0, 1);
  await running;
  expect(session.state?.outcome?.stopReason).toBe('passed');
});

describe('how the notebook stands after a pass', () => {
  async function passed(settings: object = {}) {
    const parts = setUp([ANSWER], undefined, {}, settings);
    await parts.session.run(parts.start);
    const cell = (index: number) =>
      parts.model.cells.get(index).sharedModel as ISharedCodeCell;
    const ran = (success: boolean) => {
      cell(1).setOutputs(
        success
          ? []
          : [
              {
                output_type: 'error',
                ename: 'AssertionError',
                evalue: '',
                traceback: []
              }
            ]
      );
      parts.notify({ cellId: 'cell1', success });
    };
    return { ...parts, cell, ran };
  }

  it('follows a check that fails, is edited and holds again', async () => {
    const { cell, notify, ran, session } = await passed();
    expect(session.acceptance.failure).toBeNull();
    ran(false);
    expect(session.acceptance.failure).toBe(
      'but cell 2 failed in the notebook: AssertionError'
    );
    const changed = jest.fn();
    session.changed.connect(changed);
    cell(1).setSource('assert one == 2');
    notify(null);
    notify(null);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(session.acceptance.failure).toBeNull();
    cell(1).setSource('assert one == 1');
    ran(true);
    expect(session.acceptance.failure).toBeNull();
  });
});

it('keeps what became of the cell after the end in the history', async () => {
  const { ports, session, start } = setUp([ANSWER]);
  const kept: string[] = [];
  Object.assign(ports, {
    keep: (events: readonly { type: string; status?: string }[]) =>
      void kept.push(
        events
          .slice(-2)
          .map(({ type, status }) => status ?? type)
          .join(' ')
      )
  });
  await session.run(start);
  session.acceptance.restore(session.state!);
  expect(kept[0]).toMatch(/session-end$/);
  expect(kept.at(-2)).toMatch(/^session-end (inserted|ran)$/);
  expect(kept.at(-1)).toMatch(/^(inserted|ran) restored$/);
});
