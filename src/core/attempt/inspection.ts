/** A look at the checks before anything is paid for: one that cannot fail is no check. */
import type { CheckProblem, IExecutor } from '../domain/executor';
import { withoutSkipped } from '../domain/checks/numberedChecks';
import type { CheckCell, RefineRequest } from '../domain/request';
import { describeError, type Session } from '../session/session';
import { sentence } from '../messages/sentence';

/**
 * Warns of every checking statement that cannot fail.
 *
 * @returns false when no statement is left that can: then nothing checks the target.
 */
export async function inspectChecks(
  session: Session,
  request: RefineRequest,
  executor: IExecutor
): Promise<boolean> {
  const cells = [...usedAssertions(request), ...request.holdouts];
  if (cells.length === 0 || !executor.inspectChecks) {
    return cells.length > 0;
  }
  let problems: readonly CheckProblem[];
  try {
    problems = await session.scope.wait(
      executor.inspectChecks(cells, session.scope.signal)
    );
  } catch (error) {
    session.scope.check();
    session.warn(sentence('checks.unknown', describeError(error).message));
    return true;
  }
  for (const problem of problems) {
    const { cellId, line } = problem;
    session.emit({
      type: 'warning',
      message: problemText(problem, cells),
      check: { cellId, line }
    });
  }
  // A cell that only sets up for others decides nothing.
  const counted = cells.filter(({ statements }) => statements > 0);
  const checked = (counted.length > 0 ? counted : cells).some(cell =>
    canFail(cell, problems)
  );
  if (!checked) {
    session.warn(sentence('checks.cannot-fail'));
  }
  return checked;
}

/** Without skipped checks, and without cells that hold no other. */
function usedAssertions({ assertions, language }: RefineRequest) {
  return assertions
    .map(cell => withoutSkipped(cell, language))
    .filter((cell, i) => !assertions[i]!.skipped || cell.statements > 0);
}

/** Of a hold-out only its place: what it holds is not shown. */
function problemText(
  { cellId, line, source, problem }: CheckProblem,
  cells: readonly CheckCell[]
): string {
  const hidden = cells.some(c => c.cellId === cellId && c.role === 'holdout');
  return hidden
    ? sentence('holdout.cannot-fail', line)
    : sentence(
        'check.cannot-fail',
        line,
        source.replace(/\n.*/s, ''),
        problem.replace(/\.$/, '')
      );
}

/** A cell without a known count is believed to check something. */
function canFail(
  { cellId, statements }: CheckCell,
  problems: readonly CheckProblem[]
): boolean {
  const vacuous = problems.filter(
    p => p.cellId === cellId && p.counts !== false
  ).length;
  return vacuous === 0 || vacuous < statements;
}
