import {
  ensureLinkedTarget,
  findCell,
  setOwnMetadata,
  toggleCellRole
} from '../notebookEdits';
import { sharedNotebook } from '../../__tests__/sharedNotebook';

const notebook = () =>
  sharedNotebook(['%%refine\nAdd.', 'assert add(1, 1) == 2']);

describe('notebook edits', () => {
  it('creates the target of a %%refine cell below it, once', () => {
    const model = notebook();
    const id = ensureLinkedTarget(model, 'cell0');
    expect(model.cells.get(1).id).toBe(id);
    expect(model.cells.get(1).getMetadata('jupyterlab_refine')).toEqual({
      promptCell: 'cell0'
    });
    expect(ensureLinkedTarget(model, 'cell0')).toBe(id);
    expect(model.cells.length).toBe(3);
    expect(ensureLinkedTarget(model, 'gone')).toBeNull();
  });

  it('marks and unmarks an assertion cell, other tags kept', () => {
    const cell = findCell(notebook(), 'cell1')!;
    cell.setMetadata('tags', ['slow']);
    toggleCellRole(cell);
    expect(cell.getMetadata('tags')).toEqual(['slow', 'refine-assert']);
    toggleCellRole(cell);
    expect(cell.getMetadata('tags')).toEqual(['slow']);
    // Whatever stands in place of tags; one role at most.
    cell.setMetadata('tags', 'refine-assert');
    toggleCellRole(cell);
    expect(cell.getMetadata('tags')).toEqual(['refine-assert']);
    toggleCellRole(cell, 'refine-scorer');
    expect(cell.getMetadata('tags')).toEqual(['refine-scorer']);
    cell.deleteMetadata('tags');
    toggleCellRole(cell);
    toggleCellRole(cell);
    expect(cell.getMetadata('tags')).toBeUndefined();
  });

  it('leaves no empty metadata behind', () => {
    const cell = findCell(notebook(), 'cell1')!;
    setOwnMetadata(cell, 'result', { passed: 1 });
    setOwnMetadata(cell, 'fingerprint', 'abc');
    setOwnMetadata(cell, 'result', undefined);
    expect(cell.getMetadata('jupyterlab_refine')).toEqual({
      fingerprint: 'abc'
    });
    setOwnMetadata(cell, 'fingerprint', undefined);
    expect(cell.getMetadata('jupyterlab_refine')).toBeUndefined();
  });
});
