import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { fakeExecution } from '../../../../testing/fakeExecutor';
import { initialState } from '../../../../core/events/fold';
import type { RefineRequest } from '../../../../core/domain/request';
import { settingsSchema } from '../../../../core/settings';
import type { AttemptState, SessionState } from '../../../../core/events/state';
import type { ResultMetadata } from '../../../../notebook/provenance';
import { Acceptance } from '../acceptance';
import type { CellRun } from '../../cells/notebookActions';
import { Questions } from '../../questions';
import { sharedNotebook } from '../../__tests__/sharedNotebook';

const START = 'def f(n):\n    pass';
const CODE = 'def f(n):\n    return n';

const execution = fakeExecution();

const attempt = {
  attempt: 2,
  code: CODE,
  execution,
  verdict: { evaluator: 'assertions', evaluation: 'pass' }
} as unknown as AttemptState;

const result = { passed: 1, total: 1 } as ResultMetadata;

function setUp(
  onPass: 'auto' | 'insert' | 'ask' = 'auto',
  disableDocumentWideUndoRedo = true,
  paused = false
) {
  const model = sharedNotebook(
    [START, 'assert f(1) == 1'],
    disableDocumentWideUndoRedo
  );
  const session: SessionState = {
    ...initialState('s'),
    attempts: [attempt],
    request: {
      target: { cellId: 'cell0', index: 0, kind: 'code', source: START },
      prompt: '',
      language: 'python',
      assertions: [{ cellId: 'cell1' }],
      holdouts: [],
      options: settingsSchema.parse({ onPass })
    } as unknown as RefineRequest
  };
  const questions = new Questions(() => undefined);
  const run = jest.fn().mockResolvedValue(true);
  let ran = (_: CellRun) => {};
  const notify = jest.fn();
  const acceptance = new Acceptance({
    review: () => null,
    isPaused: () => paused,
    watchCells: listener => {
      ran = listener;
      return () => undefined;
    },
    panel: {
      isDisposed: false,
      content: { model }
    } as unknown as NotebookPanel,
    questions,
    trans: nullTranslator.load('jupyterlab_refine'),
    run,
    provenanceOf: () => result,
    onChange: () => undefined,
    onWritten: () => undefined,
    notify
  });
  acceptance.start();
  const cell = model.cells.get(0);
  const signal = new AbortController().signal;
  const answer = (choice: string) =>
    questions.answer(questions.current!.id, choice);
  return {
    acceptance,
    answer,
    cell,
    model,
    notify,
    questions,
    ran: (run: CellRun) => ran(run),
    run,
    session,
    signal
  };
}

describe('Acceptance', () => {
  it.each([
    ['each cell', true],
    ['the whole notebook', false]
  ])('is one undo step of its own with undo for %s', async (_, perCell) => {
    const { acceptance, cell, session, signal } = setUp('insert', perCell);
    const shared = cell.sharedModel;
    shared.updateSource(START.length, START.length, ' # typed');
    shared.updateSource(START.length, START.length + ' # typed'.length, '');
    await acceptance.onPass(session, attempt, signal);
    shared.updateSource(CODE.length, CODE.length, '\n# more');
    shared.undo();
    expect(shared.getSource()).toBe(CODE);
    shared.undo();
    expect(shared.getSource()).toBe(START);
    shared.redo();
    expect(shared.getSource()).toBe(CODE);
  });

  it('only writes while the debugger has stopped the kernel', async () => {
    const { acceptance, answer, questions, run, session, signal } = setUp(
      'auto',
      true,
      true
    );
    await acceptance.onPass(session, attempt, signal);
    expect(acceptance.state).toMatchObject({
      status: 'inserted',
      message:
        'Written to cell 1, not run. Continue in the debugger, then run the cell.'
    });
    const other = { ...attempt, code: 'other' };
    const taking = acceptance.take(session, other, signal);
    expect(questions.current?.choices.map(({ id }) => id)).toEqual([
      'insert',
      'leave'
    ]);
    answer('leave');
    await taking;
    expect(run).not.toHaveBeenCalled();
  });

  it('asks where the checks were edited during the session', async () => {
    const { acceptance, answer, cell, model, questions, session, signal } =
      setUp();
    model.cells.get(1).sharedModel.setSource('assert f(1) == 2');
    const passing = acceptance.onPass(session, attempt, signal);
    expect(questions.current?.body).toContain('The checks were edited');
    answer('leave');
    await passing;
    expect(cell.sharedModel.getSource()).toBe(START);
  });

  it('overwrites nothing when the question goes away', async () => {
    const { acceptance, cell, session } = setUp();
    const closing = new AbortController();
    cell.sharedModel.setSource('mine');
    const asking = acceptance.take(session, attempt, closing.signal);
    closing.abort();
    await asking;
    expect(cell.sharedModel.getSource()).toBe('mine');
  });

  it('restores source and provenance as they were at the start', async () => {
    const { acceptance, cell, session, signal } = setUp();
    const earlier = { options: {}, result: { passed: 0, total: 1 } };
    cell.setMetadata('jupyterlab_refine', earlier);
    await acceptance.onPass(session, attempt, signal);
    acceptance.restore(session);
    expect(cell.sharedModel.getSource()).toBe(START);
    expect(cell.getMetadata('jupyterlab_refine')).toEqual(earlier);
    expect(acceptance.state).toMatchObject({ attempt: 2, status: 'restored' });
  });

  it('follows undo, redo and a run of the cell', async () => {
    const { acceptance, cell, ran, session, signal } = setUp('insert');
    const shared = cell.sharedModel as ISharedCodeCell;
    const message = () => acceptance.state?.message;
    await acceptance.onPass(session, attempt, signal);
    expect(message()).toBe('Written to cell 1, not run.');
    shared.undo();
    expect(acceptance.state).toEqual({
      attempt: 2,
      status: 'restored',
      message: 'Cell 1 contains its earlier code again.'
    });
    shared.redo();
    ran({ cellId: 'cell0', success: true });
    expect(message()).toBe('Written to cell 1 and run.');
    shared.setSource('mine');
    expect(acceptance.state).toEqual({
      attempt: 2,
      status: 'edited',
      message: 'Cell 1 was edited since.'
    });
    acceptance.restore(session);
    expect(message()).toContain('Cell 1 restored.');
    shared.undo();
    shared.undo();
    expect(message()).toBe('Cell 1 contains attempt 2.');
  });

  it('restores an edit that an attempt replaced', async () => {
    const { acceptance, answer, cell, session, signal } = setUp();
    cell.sharedModel.setSource('mine');
    const passing = acceptance.onPass(session, attempt, signal);
    answer('insert');
    await passing;
    expect(cell.sharedModel.getSource()).toBe(CODE);
    acceptance.restore(session);
    expect(cell.sharedModel.getSource()).toBe('mine');
    expect(acceptance.state?.message).toBe('Cell 1 restored.');
  });

  it('knows the accepted attempt after a reload, and restores', () => {
    const { acceptance, cell, session } = setUp();
    acceptance.recall(session);
    expect(acceptance.state).toBeNull();
    cell.sharedModel.setSource(CODE);
    acceptance.recall(session);
    expect(acceptance.state?.message).toBe('Cell 1 contains attempt 2.');
    acceptance.restore(session);
    expect(cell.sharedModel.getSource()).toBe(START);
  });

  it.each(['auto', 'ask'] as const)(
    'writes a text and runs nothing with onPass %s',
    async onPass => {
      const { acceptance, cell, questions, run, session, signal } =
        setUp(onPass);
      const text: SessionState = {
        ...session,
        request: {
          ...session.request!,
          target: { ...session.request!.target, kind: 'markdown' }
        }
      };
      const passing = acceptance.onPass(text, attempt, signal);
      if (onPass === 'ask') {
        expect(questions.current?.choices.map(choice => choice.id)).toEqual([
          'insert',
          'leave'
        ]);
        questions.answer(questions.current!.id, 'insert');
      }
      await passing;
      await acceptance.take(text, attempt, signal);
      expect(cell.sharedModel.getSource()).toBe(CODE);
      expect(run).not.toHaveBeenCalled();
      expect(acceptance.state).toMatchObject({
        status: 'inserted',
        message: 'Written to cell 1. A text cell is not run.'
      });
    }
  );

  it('reports that the cell is gone', async () => {
    const { acceptance, model, notify, session, signal } = setUp();
    model.sharedModel.deleteCell(0);
    await acceptance.take(session, attempt, signal);
    expect(notify).toHaveBeenCalledWith(
      'The cell was deleted. Nothing was written.'
    );
    expect(acceptance.state).toBeNull();
  });
});
