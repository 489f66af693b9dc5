import { checkCell } from '../../../__tests__/requests';
import {
  numberedChecks,
  resultOfCheck,
  withoutSkipped
} from '../numberedChecks';
import type { CheckCell } from '../../request';

const sources = (cells: readonly CheckCell[], language = 'python') =>
  numberedChecks({ assertions: cells, language }).map(
    ({ number, source }) => `${number}: ${source}`
  );

describe('numbers of checks', () => {
  it('count on through all cells', () => {
    const other = { ...checkCell('assert c', 1), cellId: 'other' };
    expect(sources([checkCell('x = 1\nassert a; assert b', 2), other])).toEqual(
      ['1: assert a', '2: assert b', '3: assert c']
    );
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
    expect(sources([checkCell(helper, 1)])).toEqual(['1: same(f(1), 2)']);
    const test = 'def test_f():\n    assert f(1) == 2';
    expect(sources([checkCell(test, 1)])).toEqual([`1: ${test}`]);
    expect(sources([checkCell(`${test}\ntest_f()`, 1)])).toEqual([
      '1: test_f()'
    ]);
  });

  it('are known in other languages', () => {
    expect(
      sources([checkCell('x <- 1\nstopifnot(f(1) == 2)', 1)], 'r')
    ).toEqual(['1: stopifnot(f(1) == 2)']);
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

  it('keeps its number', () => {
    expect(
      sources([{ ...checkCell('assert a\nassert b', 2), skipped: [1] }])
    ).toEqual(['1: assert a', '2: assert b']);
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
