/** @jest-environment node */
import type { Target } from '../../../core/domain/request';
import type { NotebookCell } from '../cells';
import { ownNames } from '../names';

const cell = (id: string, source: string, type = 'code') =>
  ({ id, type, source, metadata: {} }) as NotebookCell;

const own = (target: string, checks: string, ...others: string[]) =>
  ownNames(
    [
      cell('t', target),
      cell('c', checks),
      ...others.map((source, i) => cell(`o${i}`, source))
    ],
    { cellId: 't', source: target } as Target,
    [{ source: checks }],
    'python'
  );

it('are those that the checks read and that no other cell binds', () => {
  expect(own('', 'limit = 3\nassert total < limit', 'data = [1]')).toEqual([
    'total'
  ]);
  expect(own('total = 0', 'assert total == sum(data)', 'data = [1]')).toEqual([
    'total',
    'sum'
  ]);
});

it('are none that a cell above or below binds as well', () => {
  expect(own('total = 0', 'assert total', 'total = 1')).toEqual([]);
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
  expect(own('total = 0', 'assert total and other', other)).toEqual(['total']);
});

it('are not looked for in text cells', () => {
  expect(
    ownNames(
      [cell('m', 'total = 1', 'markdown')],
      { cellId: 't', source: '' } as Target,
      [{ source: 'assert total' }],
      'python'
    )
  ).toEqual(['total']);
});
