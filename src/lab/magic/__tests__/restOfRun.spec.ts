/** @jest-environment node */
import { RestOfRun } from '../restOfRun';

function setUp(cells: readonly string[]) {
  let close: () => void = () => undefined;
  const rest = new RestOfRun<string>(settled => {
    close = settled;
  });
  cells.forEach(cell => rest.scheduled(cell, cell.startsWith('%%')));
  close();
  return rest;
}

const RUN_ALL = ['above', '%%one', 'target', 'assert', 'plot', '%%two', 'end'];

describe('the rest of Run All', () => {
  it('is run once the check that kept it from running passes', () => {
    const rest = setUp(RUN_ALL);
    ['above', '%%one', 'target'].forEach(cell => rest.executed(cell, true));
    ['assert', 'plot', '%%two', 'end'].forEach(cell =>
      rest.executed(cell, false)
    );
    expect(rest.take()).toEqual([]);
    rest.executed('assert', true);
    expect(rest.take()).toEqual(['plot', '%%two', 'end']);
    expect(rest.take()).toEqual([]);
  });

  it('stays as it is when nothing failed, or the check still fails', () => {
    const passed = setUp(RUN_ALL);
    RUN_ALL.forEach(cell => passed.executed(cell, true));
    expect(passed.take()).toEqual([]);
    const failed = setUp(RUN_ALL);
    failed.executed('assert', false);
    failed.executed('plot', false);
    failed.executed('plot', true);
    expect(failed.take()).toEqual([]);
  });

  it('has only the cells of the same action', () => {
    const rest = setUp(['%%one', 'assert']);
    rest.scheduled('later', false);
    rest.executed('assert', false);
    rest.executed('later', false);
    rest.executed('assert', true);
    expect(rest.take()).toEqual([]);
  });

  it('begins anew with a %%refine cell of the rest', () => {
    const rest = setUp([...RUN_ALL, 'more']);
    ['assert', '%%two', 'end', 'more'].forEach(cell =>
      rest.executed(cell, false)
    );
    rest.executed('assert', true);
    rest.take().forEach(cell => rest.scheduled(cell, cell.startsWith('%%')));
    rest.executed('%%two', true);
    ['end', 'more'].forEach(cell => rest.executed(cell, false));
    expect(rest.take()).toEqual([]);
    rest.executed('end', true);
    expect(rest.take()).toEqual(['more']);
  });
});
