/** @jest-environment node */
import type { Target } from '../../../core/domain/request';
import type { NotebookCell } from '../cells';
import { resultNames } from '../names';

describe('own names', () => {
  const cell = (id: string, source: string, type = 'code') =>
    ({ id, type, source, metadata: {} }) as NotebookCell;

  const own = (target: string, checks: string, ...others: string[]) =>
    resultNames(
      [
        cell('t', target),
        cell('c', checks),
        ...others.map((source, i) => cell(`o${i}`, source))
      ],
      { target: { cellId: 't', source: target } as Target, prompt: '' },
      [{ source: checks }],
      'python'
    ).ownNames;

  it('are those that the checks read and that no other cell binds', () => {
    expect(own('', 'limit = 3\nassert total < limit', 'data = [1]')).toEqual([
      'total'
    ]);
    expect(own('total = 0', 'assert total == sum(data)', 'data = [1]')).toEqual(
      ['total', 'sum']
    );
  });

  it('are none that a cell above or below binds as well', () => {
    expect(own('total = 0', 'assert total < most', 'total = most = 1')).toEqual(
      []
    );
  });

  it('are one that is all that the checks read, whatever binds it', () => {
    const above = 'import pandas as pd\ndf = pd.DataFrame()';
    const checks = (source: string) => own('', source, above);
    expect(
      checks('one = [1]\nassert df.x.equals(pd.Series(one)) and len(df) == 1')
    ).toContain('df');
    expect(checks('assert total == df.x.sum()')).not.toContain('df');
  });

  it.each([
    'from numpy import *',
    '%run other.py',
    '  %store -r total',
    'files = !ls',
    'exec("total = 1")',
    'globals()["total"] = 1'
  ])('are only those of the target’s source beside %s', other => {
    expect(own('', 'assert total', other)).toEqual([]);
    expect(own('total = 0', 'assert total and other', other)).toEqual([
      'total'
    ]);
  });

  it('are not looked for in text cells', () => {
    expect(
      resultNames(
        [cell('m', 'total = 1', 'markdown')],
        { target: { cellId: 't', source: '' } as Target, prompt: '' },
        [{ source: 'assert total' }],
        'python'
      ).ownNames
    ).toEqual(['total']);
  });
});

describe('asked names', () => {
  const asked = (source: string, prompt: string, checks: string) =>
    resultNames(
      [],
      { target: { cellId: 't', source } as Target, prompt },
      [{ source: checks }],
      'python'
    ).askedNames;

  it.each([
    'def isclose(a, b):\n    pass',
    'isclose = None',
    'class isclose: pass',
    '@cache\ndef isclose(a, b):\n    """Near."""\n    # YOUR CODE HERE\n    raise NotImplementedError',
    'class isclose:\n    """Near."""\n    def __call__(self, a, b): ...'
  ])('are those that the target leaves to be written: %s', source => {
    expect(asked(source, '', 'assert isclose(z, 3)')).toEqual(['isclose']);
  });

  it.each([
    'def isclose(a, b):\n    return True',
    'isclose = lambda *a, **k: True',
    'class isclose:\n    def __call__(self, *a): return True',
    'def f():\n    def isclose(): pass'
  ])('are none that the target defines in full: %s', source => {
    expect(asked(source, '', 'assert isclose(z, 3)')).toEqual([]);
  });

  it('are none that it imports', () => {
    expect(
      asked('from math import isclose', '', 'assert isclose(z, 3)')
    ).toEqual([]);
  });

  it.each([
    'Write a function median(values).',
    'Write median.',
    'A function called median',
    'Implement your own `median` without numpy.',
    'def median(values): ...',
    'Eine Funktion `median(values)`.'
  ])('are those that the prompt asks for: %s', prompt => {
    expect(asked('', prompt, 'assert median([1]) == 1')).toEqual(['median']);
  });

  it.each([
    'Compute the median of the values.',
    'z = median(values) must hold.',
    '`assert median(values) == 3` must hold.',
    'Write median_of_three.',
    'Write median.py.'
  ])('are none that the prompt merely mentions: %s', prompt => {
    expect(asked('', prompt, 'assert median([1]) == 1')).toEqual([]);
  });

  it('are none that no check reads', () => {
    expect(asked('x = 1', 'Write median.', 'assert y')).toEqual([]);
  });
});
