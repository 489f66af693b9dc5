/** @jest-environment node */
import type { CellContent, NotebookContent } from '../../../notebook';
import { mergedByCell } from '../merge';

function cell(id: string | undefined, source: string, more = {}): CellContent {
  const own = id === undefined ? {} : { id };
  return {
    cell_type: 'code',
    ...own,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
    ...more
  };
}

function notebook(...cells: readonly CellContent[]): NotebookContent {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

const base = notebook(cell('a', 'x'), cell('t', '# t'), cell('c', 'assert x'));
const target = cell('t', 'y = 1', {
  outputs: [1],
  execution_count: 2,
  metadata: { jupyterlab_refine: 1 }
});
const ours = notebook(
  cell('a', 'x'),
  target,
  cell('c', 'assert x', { execution_count: 3 })
);

it('keeps what others have changed, added, moved and removed', () => {
  const theirs = {
    ...notebook(
      cell('c', 'assert x'),
      cell('n', 'new'),
      cell('t', '# t', { metadata: { tags: ['k'] } })
    ),
    metadata: { theirs: true }
  };
  expect(mergedByCell(base, ours, theirs)).toEqual({
    notebook: {
      ...theirs,
      cells: [
        cell('c', 'assert x', { execution_count: 3 }),
        cell('n', 'new'),
        { ...target, metadata: { tags: ['k'], jupyterlab_refine: 1 } }
      ]
    }
  });
});

it('takes no outputs in place of newer ones of a cell that it has not changed', () => {
  const rerun = cell('c', 'assert x', {
    execution_count: 9,
    outputs: ['theirs']
  });
  const merged = mergedByCell(base, ours, notebook(cell('t', '# t'), rerun));
  expect(merged).toMatchObject({ notebook: { cells: [target, rerun] } });
});

it('puts an added cell below the one that it was below', () => {
  const added = cell('t-target', 'z');
  const withAdded = notebook(...base.cells.slice(0, 2), added, base.cells[2]!);
  const theirs = notebook(cell('t', '# t'), cell('n', 'new'));
  expect(mergedByCell(base, withAdded, theirs)).toEqual({
    notebook: notebook(cell('t', '# t'), added, cell('n', 'new'))
  });
  expect(mergedByCell(base, withAdded, notebook(cell('n', '')))).toEqual({
    conflict: 'there is no place for cell [t-target] any more'
  });
});

it.each([
  ['is gone', notebook(cell('a', 'x'))],
  ['was changed, too', notebook(cell('t', '# other'), cell('c', 'assert x'))],
  ['was changed, too', notebook(cell('t', '# t', { cell_type: 'raw' }))],
  ['is gone', notebook(cell('t', '# t'), cell('t', '# t'))]
])('refuses where a refined cell %s', (what, theirs) => {
  expect(mergedByCell(base, ours, theirs)).toEqual({
    conflict: `cell [t] ${what}`
  });
});

it('refuses where cells have no ids', () => {
  const old = notebook(cell(undefined, '# t'));
  const after = notebook(cell(undefined, 'y = 1'));
  expect(
    mergedByCell(old, after, notebook(cell(undefined, '# t'), cell('n', '')))
  ).toEqual({
    conflict: 'cell [cell-0] has no id of its own'
  });
});
