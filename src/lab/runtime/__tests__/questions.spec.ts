/** @jest-environment node */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Questions } from '../questions';
import { offerCellsAbove, rangeLabel } from '../session/run/cellsAbove';
import { sharedNotebook } from './sharedNotebook';

const question = (title: string) => ({
  subject: 'accept' as const,
  title,
  body: '',
  choices: [
    { id: 'no', label: 'No' },
    { id: 'yes', label: 'Yes' }
  ]
});

const forever = new AbortController().signal;

describe('Questions', () => {
  it('shows one at a time, in order, and signals each change', async () => {
    const onChange = jest.fn();
    const questions = new Questions(onChange);
    const first = questions.ask(question('first'), forever);
    const second = questions.ask(question('second'), forever);
    expect(questions.current?.title).toBe('first');
    questions.answer(questions.current!.id, 'yes');
    await expect(first).resolves.toBe('yes');
    expect(questions.current?.title).toBe('second');
    questions.answer(questions.current!.id, 'no');
    await expect(second).resolves.toBe('no');
    expect(questions.current).toBeNull();
    expect(onChange).toHaveBeenCalledTimes(4);
  });

  it('removes a question when its signal aborts: not a yes', async () => {
    const abort = new AbortController();
    const questions = new Questions(() => undefined);
    const asked = questions.ask(question('one'), abort.signal);
    abort.abort();
    await expect(asked).resolves.toBeNull();
    expect(questions.current).toBeNull();
    await expect(
      questions.ask(question('late'), abort.signal)
    ).resolves.toBeNull();
  });
});

describe('the question whether to run the cells above', () => {
  const trans = nullTranslator.load('jupyterlab_refine');
  const CELLS = [0, 1, 2].map(index => ({
    id: `cell${index}`,
    index,
    skip: index === 2
  }));

  async function offered(choice: string, held = true, times = 1) {
    const panel = {
      isDisposed: false,
      content: { model: sharedNotebook(['a = 1', 'b = 2', 'c = 3']) },
      sessionContext: { session: { kernel: {} } }
    } as unknown as NotebookPanel;
    const asked: string[] = [];
    const questions: Questions = new Questions(() => {
      const { current } = questions;
      if (current) {
        asked.push(current.title);
        queueMicrotask(() => questions.answer(current.id, choice));
      }
    });
    const run = jest.fn().mockResolvedValue(held);
    const ports = { panel, trans, questions, run, onWait: () => undefined };
    let error: unknown = null;
    for (let i = 0; i < times; i++) {
      await offerCellsAbove(
        { cells: CELLS, needed: true },
        ports,
        new AbortController().signal
      ).catch(reason => {
        error = reason;
      });
    }
    return { asked, error: error as Error | null, run };
  }

  it('does not start when the user does not want to', async () => {
    expect((await offered('leave')).error?.message).toBe(
      'Not started: Cells 1 to 3 have not run in this kernel.'
    );
  });

  it('does not start after a cell that failed', async () => {
    expect((await offered('run', false)).error?.message).toMatch(
      /^Not started: A cell above/
    );
  });

  it.each([
    [[1], 'cell 2'],
    [[0, 2], 'cells 1 and 3'],
    [[0, 1, 2, 4], 'cells 1 to 3 and 5']
  ])('names positions %j', (positions, expected) => {
    expect(
      rangeLabel(
        positions.map(index => ({ index })),
        trans
      )
    ).toBe(expected);
  });
});
