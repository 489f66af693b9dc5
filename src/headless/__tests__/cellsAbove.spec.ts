/** @jest-environment node */
import type { NotebookCell } from '../../notebook';
import { CellsAbove } from '../cellsAbove';
import type { CellRun, ICellRunner } from '../liveKernel';

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
    kernel,
    seconds: 0.05,
    onCell: () => undefined,
    onTolerated: message => tolerated.push(message)
  });
  const signal = new AbortController();
  return {
    above,
    ran,
    tolerated,
    signal: signal.signal,
    stop: () => signal.abort(new Error('stopped'))
  };
}

it('runs code and assertions once, in order; no prompts, hold-outs and scorers', async () => {
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

it('ends at an error, with its cell and traceback', async () => {
  const { above, ran, signal } = setUp(['a = 1']);
  await expect(above.runBefore(CELLS, 8, signal)).rejects.toMatchObject({
    kind: 'input',
    message:
      'n.ipynb cell 1 [a], above the target, failed: ValueError: no\nTrace'
  });
  expect(ran).toEqual(['a = 1']);
});

it('goes on where a target did not pass', async () => {
  const { above, ran, tolerated, signal } = setUp(['a = 1']);
  above.tolerate('a');
  await above.runBefore(CELLS, 8, signal);
  expect(ran).toHaveLength(3);
  expect(tolerated).toEqual(['n.ipynb cell 1 [a]: ValueError: no']);
});

it('ends at a cell that takes too long', async () => {
  const { above, signal } = setUp([], 'a = 1');
  await expect(above.runBefore(CELLS, 8, signal)).rejects.toMatchObject({
    kind: 'input',
    message:
      'n.ipynb cell 1 [a], above the target, ran longer than 0.05 s (--session-timeout).'
  });
});

it('passes a stop on', async () => {
  const { above, signal, stop } = setUp([], 'a = 1');
  const run = above.runBefore(CELLS, 8, signal);
  stop();
  await expect(run).rejects.toThrow('stopped');
});
