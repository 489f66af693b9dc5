import { isUnwritten, placeholders } from '../placeholders';

const MARKED = `class Net(Module):
    def __init__(self):
        super().__init__()
        # YOUR CODE HERE
        self.layer = None

    def forward(self, x):
        out = None
        return out`;

it.each([
  ['def f(n): ...\nclass A:\n    def g(self):\n        pass', ['f', 'A']],
  ['@cache\ndef f(n):\n    """It."""\n    raise NotImplementedError', ['f']],
  ['total = None\nother = 1', ['total']],
  ['class Missing(ValueError):\n    """None."""', []],
  [MARKED, ['Net']],
  ['def f(x):\n    s = None\n    # TODO\n    return s', ['f']],
  // Without a mark it is written.
  ['class Node:\n    def __init__(self):\n        self.left = None', []],
  ['def f(x):\n    # TODO: faster\n    return x + 1', []]
])('what %j leaves to be written', (source, names) => {
  expect(placeholders(source)).toEqual(names);
});

it('a cell is unwritten where nothing but what is left open stands there', () => {
  const isOpen = (source: string) =>
    isUnwritten({ kind: 'code', source }, 'python');
  expect(isOpen(`import torch\n\n${MARKED}`)).toBe(true);
  expect(isOpen(`${MARKED}\n\nnet = Net()`)).toBe(false);
});
