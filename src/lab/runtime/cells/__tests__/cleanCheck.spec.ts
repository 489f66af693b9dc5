/** The check in a fresh kernel where cells were skipped. */
import { nullTranslator } from '@jupyterlab/translation';
import { makeRequest } from '../../../../core/__tests__/requests';
import type { CleanResult } from '../../../../core/domain/outcome';
import { FreshKernel } from '../../../../kernel';
import type { NotebookCell } from '../../../../notebook/structure/cells';
import { checkInCleanKernel } from '../cleanCheck';
import { CleanChecks } from '../cleanChecks';

const trans = nullTranslator.load('');
const request = makeRequest();

function cell(id: string, tags: readonly string[]): NotebookCell {
  return { id, type: 'code', source: 'x = 1', metadata: { tags } };
}

function cells(...tags: readonly string[]) {
  return [cell('above', tags), cell(request.target.cellId, [])];
}

const FAILED: CleanResult = { passed: false, message: 'NameError: x' };

/** What the panel shows of a check that ended with `result`. */
async function shown(
  above: readonly NotebookCell[],
  result: CleanResult | Error
) {
  jest
    .spyOn(FreshKernel.prototype as never, '_check' as never)
    .mockImplementation((() =>
      result instanceof Error
        ? Promise.reject(result)
        : Promise.resolve({ result, isUsable: false })) as never);
  const checks = new CleanChecks(trans, () => undefined);
  const found = await checks.run(
    {
      state: { request, outcome: null } as never,
      acceptance: { state: { attempt: 1 } as never },
      lifetime: new AbortController().signal,
      attempt: () => ({ attempt: 1, code: 'y = x' }) as never
    },
    (_, candidate, signal, onPlan) =>
      checkInCleanKernel({
        startKernel: () => Promise.reject(new Error('not started')),
        request,
        candidate,
        cells: above,
        trans,
        signal,
        onPlan
      })
  );
  return { found, state: checks.state };
}

afterEach(() => jest.restoreAllMocks());

describe('A check that fails in a fresh kernel', () => {
  it('leaves the pass as it is where cells were skipped', async () => {
    const { found, state } = await shown(cells('refine-skip'), FAILED);
    expect(found).toBeNull();
    expect(state?.status).toBe('unknown');
    expect(state?.message).toMatch(
      /NameError: x Cells tagged refine-skip that were skipped: 1/
    );
  });

  it('is a failure where every cell ran', async () => {
    const { found, state } = await shown(cells(), FAILED);
    expect(found?.result.passed).toBe(false);
    expect(state?.status).toBe('failed');
  });

  it('leaves the pass as it is where there is no kernel', async () => {
    const { found, state } = await shown(cells(), new Error('No kernel.'));
    expect(found).toBeNull();
    expect(state?.status).toBe('unknown');
  });
});
