import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { makeRequest } from '../../../../core/__tests__/requests';
import type { CleanResult } from '../../../../core/domain/outcome';
import { FreshKernel } from '../../../../kernel';
import { sharedNotebook } from '../../__tests__/sharedNotebook';
import { CleanChecks, freshKernelChecker } from '../cleanCheck';
import { toggleCellRole } from '../notebookEdits';

const trans = nullTranslator.load('');
const request = makeRequest();

const FAILED: CleanResult = { passed: false, message: 'NameError: x' };

/** What the panel shows of a check that ended with `result`, below a cell with these tags. */
async function shown(tags: string[], result: CleanResult | Error) {
  jest
    .spyOn(FreshKernel.prototype as never, '_check' as never)
    .mockImplementation((() =>
      result instanceof Error
        ? Promise.reject(result)
        : Promise.resolve({ result, isUsable: false })) as never);
  const model = sharedNotebook(['x = 1', '']);
  model.cells.get(0).setMetadata('tags', tags);
  const checks = new CleanChecks(trans, () => undefined);
  const found = await checks.run(
    {
      state: { request, outcome: null } as never,
      acceptance: { state: { attempt: 1 } as never },
      lifetime: new AbortController().signal,
      attempt: () => ({ attempt: 1, code: 'y = x' }) as never
    },
    freshKernelChecker(
      { content: { model } } as NotebookPanel,
      {} as never,
      () => undefined,
      trans
    )
  );
  return { found, state: checks.state };
}

afterEach(() => jest.restoreAllMocks());

describe('A check that fails in a fresh kernel', () => {
  it('leaves the pass as it is where cells were skipped', async () => {
    const { found, state } = await shown(['refine-skip'], FAILED);
    expect(found).toBeNull();
    expect(state?.status).toBe('unknown');
    expect(state?.message).toMatch(
      /NameError: x Cells tagged refine-skip that were skipped: 1/
    );
  });

  it('is a failure where every cell ran', async () => {
    const { found, state } = await shown([], FAILED);
    expect(found?.result.passed).toBe(false);
    expect(state?.status).toBe('failed');
  });

  it('leaves the pass as it is where there is no kernel', async () => {
    const { found, state } = await shown([], new Error('No kernel.'));
    expect(found).toBeNull();
    expect(state?.status).toBe('unknown');
  });
});

it('marks and unmarks an assertion cell, other tags kept', () => {
  const cell = sharedNotebook(['assert add(1, 1) == 2']).cells.get(0);
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
