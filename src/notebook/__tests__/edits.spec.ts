/** @jest-environment node */
import type { CellContent, NotebookContent } from '../structure/cells';
import { cellsFromNotebook, notebookLanguage } from '../structure/cells';
import { applyOutcome, withLinkedTargets } from '../edits';
import { findTarget } from '../structure/targets';

function notebook(
  cells: readonly CellContent[],
  more: Partial<NotebookContent> = {}
): NotebookContent {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells, ...more };
}

function cell(id: string | undefined, source: string | string[]): CellContent {
  const named = id === undefined ? {} : { id };
  return {
    cell_type: 'code',
    ...named,
    metadata: { tags: ['x'] },
    source,
    outputs: [],
    execution_count: null
  };
}

describe('cellsFromNotebook', () => {
  it('joins sources and makes ids where missing or double', () => {
    const cells = cellsFromNotebook(
      notebook([cell('a', ['x\n', 'y']), cell(undefined, 'z'), cell('a', '')])
    );
    expect(cells.map(({ id, source }) => [id, source])).toEqual([
      ['a', 'x\ny'],
      ['cell-1', 'z'],
      ['cell-2', '']
    ]);
  });

  it('refuses older formats with the way out', () => {
    expect(() => cellsFromNotebook(notebook([], { nbformat: 3 }))).toThrow(
      'Notebook format 3 cannot be read, only format 4: open the notebook in JupyterLab and save it.'
    );
  });

  it.each([
    [{ language_info: { name: 'R' } }, 'r'],
    [{ kernelspec: { language: 'julia' } }, 'julia'],
    [{}, 'python']
  ])('reads the language of %j', (metadata, language) => {
    expect(notebookLanguage(notebook([], { metadata }))).toBe(language);
  });
});

describe('applyOutcome', () => {
  const before = notebook([cell('a', 'x'), cell('b', 'y')], {
    metadata: { kept: 1 }
  });

  it('changes what is named and nothing else', () => {
    const after = applyOutcome(before, [
      {
        cellId: 'b',
        source: 'p\nq',
        outputs: [{ output_type: 'stream' }],
        execution_count: 3,
        refine: { result: { passed: 1 } }
      }
    ]);
    expect(after).toEqual({
      ...before,
      cells: [
        before.cells[0],
        {
          cell_type: 'code',
          id: 'b',
          metadata: {
            tags: ['x'],
            jupyterlab_refine: { result: { passed: 1 } }
          },
          source: 'p\nq',
          outputs: [{ output_type: 'stream' }],
          execution_count: 3
        }
      ]
    });
    expect(before.cells[1].source).toBe('y');
  });

  it('adds to the extension’s metadata and removes the undefined', () => {
    const linked = applyOutcome(before, [
      { cellId: 'a', refine: { promptCell: 'p', old: 1 } }
    ]);
    const after = applyOutcome(linked, [
      { cellId: 'a', refine: { old: undefined, fingerprint: 'f' } }
    ]);
    expect(after.cells[0].metadata['jupyterlab_refine']).toEqual({
      promptCell: 'p',
      fingerprint: 'f'
    });
  });

  it('knows the made ids of an older notebook', () => {
    const old = notebook([cell(undefined, 'x')], { nbformat_minor: 4 });
    const after = applyOutcome(old, [{ cellId: 'cell-0', source: 'y' }]);
    expect(after.cells[0]).toEqual({ ...old.cells[0], source: 'y' });
  });

  it('refuses an unknown cell', () => {
    expect(() => applyOutcome(before, [{ cellId: 'z' }])).toThrow('no cell z');
  });
});

describe('withLinkedTargets', () => {
  it('adds a linked cell below each %%refine cell without one', () => {
    const after = withLinkedTargets(
      notebook([cell('p', '%%refine\nSort'), cell('a', 'assert f()')])
    );
    const cells = cellsFromNotebook(after);
    expect(cells.map(({ id }) => id)).toEqual(['p', 'p-target', 'a']);
    expect(findTarget(cells, 0, 'python')).toMatchObject({
      target: { cellId: 'p-target' }
    });
    expect(findTarget(cells, 2, 'python')).toMatchObject({
      target: { cellId: 'p-target' }
    });
    expect(withLinkedTargets(after)).toBe(after);
  });

  it('gives an older notebook ids, since links need them', () => {
    const after = withLinkedTargets(
      notebook([cell(undefined, '%%refine\nSort')], { nbformat_minor: 2 })
    );
    expect(after.nbformat_minor).toBe(5);
    expect(after.cells.map(({ id }) => id)).toEqual([
      'cell-0',
      'cell-0-target'
    ]);
  });
});
