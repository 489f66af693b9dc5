/** What a benchmark inspects ahead is answered without another fork. */
import { WarmExecutor, type InspectedCell } from '../warmExecutor';
import type { WarmProcess } from '../warmProcess';

const cell = (source: string, role: InspectedCell['role'] = 'assertion') => ({
  cellId: 'check',
  index: 1,
  role,
  source,
  statements: 1
});

describe('WarmExecutor', () => {
  let forks: number;
  let asked: string[];
  let failing: string | null;

  const executor = (answersApart = true) => {
    const process = {
      apart: (work: () => Promise<unknown>) => {
        forks += 1;
        return work();
      },
      request: ({ cells }: { cells: readonly InspectedCell[] }) => {
        const source = cells[0]?.source ?? '';
        asked.push(source);
        if (source === failing) {
          return Promise.reject(new Error('the copy ended'));
        }
        const problem = source.includes('True') ? 'It cannot fail.' : undefined;
        return Promise.resolve({
          statements: [
            {
              cellId: 'check',
              role: 'assertion',
              line: 1,
              source,
              ...(problem ? { problem } : {})
            }
          ]
        });
      }
    };
    return new WarmExecutor(
      process as unknown as WarmProcess,
      1,
      [],
      '',
      answersApart
    );
  };

  beforeEach(() => {
    forks = 0;
    asked = [];
    failing = null;
  });

  it('answers inspected checks without another fork', async () => {
    const warm = executor();
    await warm.inspectAhead([[cell('assert f()')], [cell('assert True')]]);
    expect(forks).toBe(1);
    expect(await warm.inspectChecks([cell('assert f()')])).toEqual([]);
    expect(await warm.inspectChecks([cell('assert True')])).toEqual([
      expect.objectContaining({ problem: 'It cannot fail.' })
    ]);
    expect(forks).toBe(1);
  });

  it('inspects other cells in a fork of their own', async () => {
    const warm = executor();
    await warm.inspectAhead([[cell('assert f()')]]);
    expect(warm.isInspected([cell('assert f()', 'holdout')])).toBe(false);
    await warm.inspectChecks([cell('assert f()', 'holdout')]);
    expect(forks).toBe(2);
  });

  it('forgets the cells of the call before', async () => {
    const warm = executor();
    await warm.inspectAhead([[cell('assert f()')]]);
    await warm.inspectAhead([[cell('assert g()')]]);
    expect(warm.isInspected([cell('assert f()')])).toBe(false);
    expect(warm.isInspected([cell('assert g()')])).toBe(true);
  });

  it('inspects alone what could not be inspected ahead', async () => {
    failing = 'assert f()';
    const warm = executor();
    await warm.inspectAhead([[cell('assert f()')]]);
    expect(warm.isInspected([cell('assert f()')])).toBe(false);
    failing = null;
    expect(await warm.inspectChecks([cell('assert f()')])).toEqual([]);
    expect(asked).toEqual(['assert f()', 'assert f()']);
  });

  it('forks nothing where checks are not answered apart', async () => {
    const warm = executor(false);
    expect(await warm.inspectChecks([cell('assert f()')])).toEqual([]);
    expect(asked).toEqual(['assert f()']);
    expect(forks).toBe(0);
  });
});
