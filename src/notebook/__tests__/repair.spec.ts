import { repairGoal } from '../repair';

const SHOWN = {
  name: 'ValueError',
  message: 'no number',
  traceback: 'Traceback …'
};

it.each([
  ['a = 1; b = a\nc, d = 1, 2', ['a', 'b', 'c', 'd']],
  ['def f(x):\n    y = x\n    return y\n', ['f']],
  ['@cache\nclass C:\n    n = 1\n', ['C']],
  ['import json\nfor i in []:\n    pass\nprint(1)', []],
  ['total += 1\ntype Row = str\nprint(total)', ['total', 'Row']],
  ['%%bash\nx=1', []]
])('the names that %j defines', (source, names) => {
  expect(repairGoal(source, 'python', null, null).names).toEqual(names);
});

it('combines what the notebook shows with what the kernel knows', () => {
  const locals = [{ name: 'x', type: 'int' }];
  expect(
    repairGoal('y = f(x)', 'python', SHOWN, {
      line: 1,
      similar: ". Did you mean: 'y'?",
      changed: ['x'],
      locals
    })
  ).toEqual({
    error: {
      ...SHOWN,
      message: "no number. Did you mean: 'y'?",
      candidateLine: 1,
      locals
    },
    names: ['y'],
    changed: ['x']
  });
  expect(repairGoal('y = f(x)', 'python', SHOWN, null)).toEqual({
    error: SHOWN,
    names: ['y'],
    changed: []
  });
});

it('leaves the error of an edited cell out', () => {
  expect(repairGoal('y = 1', 'python', null, null)).toEqual({
    names: ['y'],
    changed: []
  });
});
