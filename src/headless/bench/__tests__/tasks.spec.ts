/** @jest-environment node */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readAnswers } from '../answers';
import { readTasks } from '../tasks';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refine-tasks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MBPP = { task_id: 1, text: 'Write f.', test_list: ['assert f() == 1'] };
const HUMAN_EVAL = {
  task_id: 'HumanEval/0',
  prompt: 'def f():\n    """One."""\n',
  entry_point: 'f',
  test: 'def check(candidate):\n    assert candidate() == 1\n'
};

function write(name: string, ...lines: unknown[]): string {
  const path = join(folder, name);
  const text = lines
    .map(line => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

it('reads both forms, compressed or not, and skips blank lines', () => {
  const sanitized = {
    ...{ task_id: 2, prompt: 'Write g.', test_list: ['assert g()'] },
    test_imports: ['import math'],
    code: 'def g():\r\n  return 1'
  };
  for (const name of ['t.jsonl', 't.jsonl.gz']) {
    expect(readTasks(write(name, MBPP, '', sanitized, HUMAN_EVAL))).toEqual([
      {
        id: '1',
        prompt: 'Write f.',
        stub: '',
        checks: 'assert f() == 1',
        reference: null
      },
      {
        id: '2',
        prompt: 'Write g.',
        stub: '',
        checks: 'import math\nassert g()',
        reference: 'def g():\n  return 1'
      },
      {
        id: 'HumanEval/0',
        prompt: expect.stringContaining('the function f '),
        stub: HUMAN_EVAL.prompt,
        checks: `${HUMAN_EVAL.test}\ncheck(f)`,
        reference: null
      }
    ]);
  }
});

it.each([
  ['{', 'line 2: not valid JSON: '],
  ['[1]', 'line 2: not a JSON object.'],
  [{ task_id: 2 }, 'line 2: not a task.'],
  [{ ...MBPP, task_id: null }, 'line 2: task_id: '],
  [{ ...MBPP, task_id: 2, text: ' ' }, 'line 2: text: it must have the text'],
  [{ ...MBPP, task_id: 2, test_list: [] }, 'line 2: test_list: '],
  [
    { ...MBPP, task_id: 2, test_list: [1] },
    'line 2: test_list[0]: expected string'
  ],
  [{ ...HUMAN_EVAL, test: undefined }, 'line 2: test: expected string'],
  [MBPP, 'line 2: task_id: 1 is also the task of line 1.']
])('names file, line and field of %j', (line, said) => {
  const path = write('t.jsonl', MBPP, line);
  expect(() => readTasks(path)).toThrow(`${path}, ${said}`);
});

it('says that an empty file has no tasks', () => {
  const path = write('t.jsonl', '');
  expect(() => readTasks(path)).toThrow(`${path} has no tasks.`);
});

it('tells tasks with the same number apart', () => {
  const two = [MBPP, { ...HUMAN_EVAL, task_id: 'HumanEval/1' }];
  const read = (first: unknown, ...lines: unknown[]) => {
    const tasks = readTasks(write('t.jsonl', first, two[1]));
    return Object.fromEntries(readAnswers(write('a.jsonl', ...lines), tasks));
  };
  expect(
    read(
      two[0],
      { task_id: 1, solution: 'a' },
      { task_id: 'HumanEval/1', solution: 'b' }
    )
  ).toEqual({ 1: ['a'], 'HumanEval/1': ['b'] });
  expect(read(two[0], { task_id: 'MBPP/1', solution: 'a' })).toEqual({
    1: ['a']
  });
  const other = { ...HUMAN_EVAL, task_id: 'Other/1' };
  expect(() => read(other, { task_id: 1, solution: 'a' })).toThrow(
    'line 1: task_id: 1 matches Other/1 and HumanEval/1. Use the full id.'
  );
});

it('reads answers of three forms, and names wrong ones', () => {
  const tasks = readTasks(write('t.jsonl', MBPP, HUMAN_EVAL));
  const read = (...lines: unknown[]) =>
    Object.fromEntries(readAnswers(write('a.jsonl', ...lines), tasks));
  expect(
    read(
      { task_id: 'MBPP/1', attempts: ['a', 'b'] },
      { ...HUMAN_EVAL, completion: '    return 1' }
    )
  ).toEqual({
    1: ['a', 'b'],
    'HumanEval/0': [`${HUMAN_EVAL.prompt}    return 1`]
  });
  expect(read({ task_id: 0, solution: 's' })).toEqual({ 'HumanEval/0': ['s'] });
  expect(() => read({ task_id: 1 })).toThrow(
    'line 1: it must have one of the fields'
  );
  expect(() => read({ task_id: 1, attempts: [], solution: '' })).toThrow(
    'line 1: attempts: '
  );
  expect(() =>
    read({ task_id: 1, solution: '' }, { task_id: 1, solution: '' })
  ).toThrow('line 2: task_id: 1 has answers in a line above.');
  expect(() => read('')).toThrow('has no answers.');
});
