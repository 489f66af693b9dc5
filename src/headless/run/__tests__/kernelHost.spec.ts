/** @jest-environment node */
import type { NotebookCell } from '../../../notebook';
import { CellsAbove } from '../kernelHost';
import type { CellRun, ICellRunner } from '../../server/liveKernel';

function cell(
  id: string,
  source: string,
  tags: readonly string[] = [],
  type: NotebookCell['type'] = 'code'
): NotebookCell {
  return { id, type, source, metadata: { tags } };
}

const CELLS = [
  cell('text', 'About', [], 'markdown'),
  cell('a', 'a = 1'),
  cell('empty', ' \n'),
  cell('magic', '%%refine\nSort'),
  cell('check', 'assert a', ['refine-assert']),
  cell('held', 'secret = 1', ['refine-holdout']),
  cell('scorer', 'def score(ns): return 1', ['refine-scorer']),
  cell('b', 'b = 2'),
  cell('target', '')
];

function setUp(failing: readonly string[] = [], hang = '') {
  const ran: string[] = [];
  const tolerated: string[] = [];
  const kernel: ICellRunner = {
    run: (source, signal): Promise<CellRun> => {
      ran.push(source);
      const error = failing.includes(source)
        ? {
            name: 'ValueError',
            message: 'no',
            traceback: '\u001b[31mTrace\u001b[0m'
          }
        : null;
      return source === hang
        ? new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason))
          )
        : Promise.resolve({ outputs: [], executionCount: 1, error });
    }
  };
  const above = new CellsAbove({
    path: 'n.ipynb',
    language: 'python',
    kernel,
    seconds: 0.05,
    onCell: () => undefined,
    tolerant: false,
    onTolerated: message => tolerated.push(message)
  });
  const signal = new AbortController();
  return {
    above,
    kernel,
    ran,
    tolerated,
    signal: signal.signal,
    stop: () => signal.abort(new Error('stopped'))
  };
}

it('runs code and assertions once, in order, and nothing else', async () => {
  const { above, ran, signal } = setUp();
  await above.runBefore(CELLS, 5, signal);
  expect(ran).toEqual(['a = 1', 'assert a']);
  await above.runBefore(CELLS, 8, signal);
  expect(ran).toEqual(['a = 1', 'assert a', 'b = 2']);
});

it('does not run again what was accepted', async () => {
  const { above, ran, signal } = setUp();
  above.markRun('a');
  await above.runBefore(CELLS, 4, signal);
  expect(ran).toEqual([]);
});

it('goes on where a target did not pass', async () => {
  const { above, ran, tolerated, signal } = setUp(['a = 1']);
  above.tolerate('a');
  await above.runBefore(CELLS, 8, signal);
  expect(ran).toHaveLength(3);
  expect(tolerated).toEqual(['n.ipynb cell 1 [a]: ValueError: no']);
});

it.each<[string, NotebookCell]>([
  ['marked', cell('check', 'assert x', ['refine-assert'])],
  ['not marked', cell('check', 'assert x')]
])(
  'goes on where a check of another target does not hold, %s',
  async (_, check) => {
    const { above, ran, tolerated, signal } = setUp(['assert x']);
    const cells = [cell('t', 'x = 0'), check, cell('b', 'y = x')];
    await above.runBefore([...cells, cell('t2', '')], 3, signal);
    expect(ran).toEqual(['x = 0', 'assert x', 'y = x']);
    expect(tolerated).toEqual(['n.ipynb cell 1 [check]: ValueError: no']);
  }
);

it('does not run what was written and not allowed to run', async () => {
  const { above, ran, signal } = setUp();
  above.leaveOut('a');
  await above.runBefore(CELLS, 8, signal);
  expect(ran).toEqual(['assert a', 'b = 2']);
});
