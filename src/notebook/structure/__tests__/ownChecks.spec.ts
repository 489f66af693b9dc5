/** @jest-environment node */
import { acceptedSource, sourceHash } from '../../provenance';
import { planTarget } from '../../plan';
import { ownChecks, wholeSource } from '../ownChecks';
import type { NotebookCell } from '../cells';
import { code, markdown } from '../../__tests__/notebookFixture';

const HEAD = 'def add(a, b):\n    pass';
const TAIL = '\n\n# Tests\nassert add(1, 2) == 3\nprint("ok")\n';

function planOf(cells: readonly NotebookCell[], index = 0) {
  const { id: cellId, source } = cells[index];
  return planTarget(cells, { cellId, index, kind: 'code', source }, 'python');
}

it.each<[string, string | null]>([
  [HEAD + TAIL, TAIL],
  ['# Write add.\nassert add(1, 2) == 3', '\nassert add(1, 2) == 3'],
  ['x = 1; assert x', null],
  ['x = 1\nassert x\ny = 2', null],
  ['assert x', null],
  ['x = 1\nfor n in []:\n    x = <YOUR CODE>\n    assert x', null],
  [
    `${HEAD}\nassert add(1, 2) == 3\n\nsum(map(add, PUZZLE))`,
    '\nassert add(1, 2) == 3\n\nsum(map(add, PUZZLE))'
  ],
  [`${HEAD}\nassert add(1, 2) == 3\nmodel.fit(add)`, null],
  [`${HEAD}\nassert add(1, 2) == 3\nfor x in []: add(x, x)`, null],
  [HEAD, null],
  [
    `${HEAD}\nimport unittest\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(add(1, 2), 3)`,
    '\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(add(1, 2), 3)'
  ]
])('%j keeps %j', (source, kept) => {
  const start = ownChecks(code('t', source), 'python');
  expect(start === null ? null : source.slice(start)).toBe(kept);
});

it('the target is what is above, and the checks keep their lines', () => {
  const plan = planOf([code('t', HEAD + TAIL)]);
  expect(plan.target).toMatchObject({ source: HEAD, below: TAIL });
  expect(wholeSource(plan.target)).toBe(HEAD + TAIL);
  const [check] = plan.assertions;
  expect(check).toMatchObject({
    cellId: 't',
    role: 'assertion',
    statements: 1
  });
  expect(check.source.split('\n')[4]).toBe('assert add(1, 2) == 3');
  expect(check.source).not.toContain('def');
});

it('a candidate is written above them, byte for byte', () => {
  const { target, prompt } = planOf([code('t', HEAD + TAIL)]);
  const request = { target, prompt, language: 'python' };
  const candidate = 'def add(a, b):\n    return a + b\n';
  expect(acceptedSource(request, candidate)).toBe(candidate.trimEnd() + TAIL);
});

it('what a candidate asserts itself is no check, until the cell is edited', () => {
  const source = 'def f(): return 1\nassert f() == 1';
  const result = {
    sourceHash: sourceHash(source),
    checksHash: '',
    passed: 1,
    total: 1
  };
  const accepted = (more: object, text = source) =>
    ownChecks(
      code('t', text, { refine: { result: { ...result, ...more } } }),
      'python'
    );
  expect(accepted({})).toBeNull();
  expect(accepted({ ownChecks: 17 })).toBe(17);
  expect(accepted({}, `${source}\nassert f()`)).toBe(17);
});

it('checks in cells below are checks, too', () => {
  const cells = [
    markdown('m', 'Add.'),
    code('t', HEAD + TAIL),
    code('a', 'assert add(0, 0) == 0')
  ];
  expect(planOf(cells, 1).assertions.map(({ cellId }) => cellId)).toEqual([
    't',
    'a'
  ]);
});
