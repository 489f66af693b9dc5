/** What each check cell of a target earned, as nbgrader counts: every test cell by itself. */
import { randomUUID } from 'node:crypto';
import { NO_SEPARATE_PROCESS } from '../../core/domain/checks/confirmation';
import { executionJob, type IExecutor } from '../../core/domain/executor';
import type { AssertionResult, Execution } from '../../core/domain/execution';
import { isBlankSource } from '../../core/python/cell';
import type {
  CheckCell,
  RefineRequest,
  Target
} from '../../core/domain/request';
import {
  analyse,
  cellAt,
  markedRole,
  nbgraderMetadata,
  planTarget,
  type NotebookCell
} from '../../notebook';
import type { Status, TargetResult, TestResult } from '../report/results';
import { oneLine } from '../report/screen';

type Runner = Pick<IExecutor, 'run'>;

export type TestResults = Promise<readonly TestResult[]>;

/**
 * One attempt says of all hidden tests together whether they held, and runs none where a visible check
 * failed. Where that leaves a test cell open, it is run by itself, with what the test cells above it set up.
 *
 * @param anew - the target is among the cells above: all test cells are run by themselves.
 */
export async function testResults(
  cells: readonly NotebookCell[],
  request: RefineRequest,
  execution: Execution,
  executor: Runner,
  signal: AbortSignal,
  anew = false
): TestResults {
  const found: TestResult[] = [];
  const ids = idsOf(cells, request);
  for (const cell of ids) {
    const { cellId, index } = cell;
    const own = execution.assertions.filter(one => one.cellId === cellId);
    const isAlone = anew || (ids.length > 1 && isOpen(execution, own));
    const results = isAlone
      ? await alone(request, cell, executor, signal, anew)
      : own;
    const held = results.filter(({ outcome }) => outcome === 'passed');
    const open = held.find(({ confirmed }) => confirmed !== true);
    found.push({
      ...testResult(cellAt(cells, index), held.length, results.length),
      unconfirmed: open ? (open.unconfirmed ?? NO_SEPARATE_PROCESS) : null
    });
  }
  return found;
}

/** The check cells of a target that was not checked. */
export function plannedTests(
  cells: readonly NotebookCell[],
  target: Target,
  language: string
): readonly TestResult[] {
  const plan = planTarget(cells, target, language, { panelPrompt: '' });
  const all = [...plan.assertions, ...plan.holdouts];
  return idsOf(cells, plan).map(({ cellId, index }) =>
    testResult(
      cellAt(cells, index),
      0,
      all
        .filter(cell => cell.cellId === cellId)
        .reduce((sum, { statements }) => sum + statements, 0)
    )
  );
}

/** The row of a target that was not checked, and why: a clause. */
export function notReached(
  { cellId, index }: Pick<Target, 'cellId' | 'index'>,
  { status, message }: { readonly status: Status; readonly message: string },
  tests: readonly TestResult[]
): TargetResult {
  const why = `not checked: ${oneLine(message, 300)}`;
  return {
    cellId,
    index,
    status,
    outcome: null,
    model: null,
    assertions: { passed: 0, total: 0 },
    holdouts: { passed: 0, total: 0 },
    confirmed: null,
    accepted: null,
    tests,
    reason: { kind: 'not-checked', message: why },
    message: why
  };
}

/** Rows for graded tests of a notebook that no target has: they check nothing, and count as failed. */
export function strayTests(
  cells: readonly NotebookCell[],
  results: readonly TargetResult[],
  language: string
): readonly TargetResult[] {
  const known = new Set(
    results.flatMap(({ cellId, index }) => {
      const { source } = cellAt(cells, index);
      const target = { cellId, index, kind: 'code', source } as const;
      return plannedTests(cells, target, language).map(test => test.cellId);
    })
  );
  return cells.flatMap((cell, index) => {
    const { id: cellId, source, type } = cell;
    const { grade, solution } = nbgraderMetadata(cell);
    const isTest = type === 'code' && grade === true && solution !== true;
    if (!isTest || source.trim() === '' || known.has(cellId)) {
      return [];
    }
    const message = isBlankSource(source, language)
      ? 'this test cell has no checks'
      : 'no solution cell above this test can be checked';
    const test = testResult(cell, 0, analyse(source, language).checks);
    return [
      notReached({ cellId, index }, { status: 'failed', message }, [test])
    ];
  });
}

type Checks = Pick<RefineRequest, 'assertions' | 'holdouts'>;

/** Each cell once; a cell with hidden tests is among both. A cell that only sets up for others is no test. */
function idsOf(
  cells: readonly NotebookCell[],
  { assertions, holdouts }: Checks
): readonly CheckCell[] {
  const all = [...assertions, ...holdouts].filter(
    ({ index, statements }) =>
      statements > 0 || markedRole(cellAt(cells, index)) !== null
  );
  return all
    .filter(
      (cell, at) => all.findIndex(({ cellId }) => cellId === cell.cellId) === at
    )
    .sort((a, b) => a.index - b.index);
}

/** Its visible checks held, and nothing says whether its hidden ones did. */
function isOpen(
  execution: Execution,
  own: readonly AssertionResult[]
): boolean {
  return (
    execution.status === 'completed' &&
    own.some(one => one.role === 'holdout' && one.outcome !== 'passed') &&
    own.every(one => one.role === 'holdout' || one.outcome === 'passed')
  );
}

async function alone(
  request: RefineRequest,
  { cellId, index }: CheckCell,
  executor: Runner,
  signal: AbortSignal,
  anew: boolean
): Promise<readonly AssertionResult[]> {
  // As in nbgrader, an error of a test cell above leaves what that cell has set up until then.
  const upTo = (checks: readonly CheckCell[]): CheckCell[] =>
    checks
      .filter(cell => cell.index <= index)
      .map(cell => ({
        ...cell,
        ...(cell.index < index && { statements: 0, mayFail: true })
      }));
  const own = {
    ...request,
    assertions: upTo(request.assertions),
    holdouts: upTo(request.holdouts)
  };
  const job = executionJob(
    own,
    randomUUID(),
    anew ? 'pass' : request.target.source
  );
  const ran = await executor.run(job, () => undefined, signal);
  return ran.assertions.filter(result => result.cellId === cellId);
}

function testResult(
  cell: NotebookCell,
  passed: number,
  total: number
): TestResult {
  const { grade_id: gradeId, points } = nbgraderMetadata(cell);
  return {
    cellId: cell.id,
    gradeId: typeof gradeId === 'string' ? gradeId : null,
    passed,
    total,
    maxPoints: typeof points === 'number' && points >= 0 ? points : null,
    unconfirmed: null
  };
}
