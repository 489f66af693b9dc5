import { checkCell } from '../../../__tests__/requests';
import {
  numberedChecks,
  resultOfCheck,
  sourceWithNumbers,
  withoutSkipped
} from '../numberedChecks';
import type { CheckCell } from '../../request';

const shown = (cells: readonly CheckCell[], language = 'python') => {
  const checks = numberedChecks({ assertions: cells, language });
  return cells.map(cell => sourceWithNumbers(cell, checks, language));
};

describe('numbers of checks', () => {
  it('count on through all cells', () => {
    const other = { ...checkCell('assert c', 1), cellId: 'other' };
    expect(shown([checkCell('x = 1\nassert a\nassert b', 2), other])).toEqual([
      'x = 1\nassert a  # check 1\nassert b  # check 2',
      'assert c  # check 3'
    ]);
  });

  it('stand above a check of several lines', () => {
    expect(shown([checkCell('assert f(\n  """a\n""") == 1', 1)])).toEqual([
      '# check 1\nassert f(\n  """a\n""") == 1'
    ]);
  });

  it('stand together where checks share a line', () => {
    expect(shown([checkCell('assert a; assert b', 2)])).toEqual([
      'assert a; assert b  # check 1, 2'
    ]);
  });

  it('end with the last line of a block', () => {
    const [check] = numberedChecks({
      assertions: [checkCell('for n in xs:\n    assert n\n\nassert b', 2)],
      language: 'python'
    });
    expect(check).toMatchObject({
      source: 'for n in xs:\n    assert n',
      lastLine: 2
    });
  });

  it('are of what runs: a helper where it is called, a test where it stands', () => {
    const helper = 'def same(a, b):\n    assert a == b\nsame(f(1), 2)';
    expect(shown([checkCell(helper, 1)])).toEqual([`${helper}  # check 1`]);
    const tests =
      'class T(TestCase):\n  def test_f(self):\n    self.assertTrue(f(1))\n\n';
    const main = "unittest.main(argv=[''], exit=False)";
    expect(shown([checkCell(tests + main, 1)])).toEqual([
      `${tests}${main}  # check 1`
    ]);
    const test = 'def test_f():\n    assert f(1) == 2';
    expect(shown([checkCell(test, 1)])).toEqual([`# check 1\n${test}`]);
    expect(shown([checkCell(`${test}\ntest_f()`, 1)])).toEqual([
      `${test}\ntest_f()  # check 1`
    ]);
  });

  it('are known in other languages', () => {
    expect(shown([checkCell('x <- 1\nstopifnot(f(1) == 2)', 1)], 'r')).toEqual([
      'x <- 1\nstopifnot(f(1) == 2)  # check 1'
    ]);
    expect(shown([checkCell('console.assert(f(1))', 1)], 'javascript')).toEqual(
      ['console.assert(f(1))  // check 1']
    );
  });
});

describe('a skipped check', () => {
  const skip = (source: string, line: number, language = 'python') =>
    withoutSkipped({ ...checkCell(source, 2), skipped: [line] }, language);

  it('is not run; every other line stays where it was', () => {
    expect(skip('assert f(\n1)\nassert b', 1)).toEqual({
      ...checkCell('pass\n\nassert b', 1)
    });
    expect(skip('assert a; x = 1', 1).source).toBe('pass; x = 1');
    expect(skip('stopifnot(\na)\nstopifnot(b)', 1, 'r').source).toBe(
      '\n\nstopifnot(b)'
    );
  });

  it('is not shown, and keeps its number', () => {
    expect(
      shown([{ ...checkCell('assert a\nassert b', 2), skipped: [1] }])
    ).toEqual(['assert b  # check 2']);
  });

  it('changes nothing where no check stands', () => {
    expect(skip('assert a\nx = 1', 2)).toEqual(checkCell('assert a\nx = 1', 2));
  });
});

it('the result of a check is found by its lines and its text', () => {
  const [decorated, , second] = numberedChecks({
    language: 'python',
    assertions: [
      checkCell('@mark\ndef test_f():\n    assert f(1)\nassert a; assert b', 3)
    ]
  });
  const results = [
    { line: 2, source: 'def test_f(): …' },
    { line: 4, source: 'assert a' },
    { line: 4, source: 'assert b' }
  ].map(one => ({ ...one, cellId: 'check', role: 'assertion' as const }));
  expect(resultOfCheck(decorated, results)).toBe(results[0]);
  expect(resultOfCheck(second, results)).toBe(results[2]);
  expect(resultOfCheck(second, [])).toBeUndefined();
});
