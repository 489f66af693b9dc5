/** A look at the checks before anything is paid for: one that cannot fail is no check. */
import type { CheckProblem, IExecutor } from '../domain/executor';
import {
  numberedChecks,
  withoutSkipped,
  type NumberedCheck
} from '../domain/checks/numberedChecks';
import type { CheckCell, RefineRequest } from '../domain/request';
import type { CheckDeps } from '../deps';
import {
  contradictions,
  type CheckPlace,
  type Contradiction
} from '../python/contradictions';
import { askAboutContradictions } from '../session/human';
import { cutLine } from '../text/cut';
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

/**
 * Warns of visible checks that contradict each other, and asks whether to go on
 * before a model is called. Checks that the current code passes do not.
 *
 * @throws SessionStop when the user does not want to go on.
 */
export async function inspectContradictions(
  session: Session,
  { assertions, language, prompt, target }: RefineRequest,
  deps: CheckDeps,
  asks: boolean
): Promise<void> {
  const task = `${prompt}\n${target.source}`;
  const found =
    language === 'python' && target.kind === 'code'
      ? contradictions(
          assertions.map(cell => withoutSkipped(cell, language)),
          task
        )
      : [];
  const results = session.state.attempts[0]?.execution?.assertions ?? [];
  const passes = (place: CheckPlace) =>
    results.some(
      ({ cellId, line, outcome }) =>
        cellId === place.cellId && line === place.line && outcome === 'passed'
    );
  const numbered = numberedChecks({ assertions, language });
  const sentences = found
    .filter(pair => !pair.every(passes))
    .slice(0, CONTRADICTIONS_SHOWN)
    .map(pair => contradictionText(pair, numbered));
  sentences.forEach(text => session.warn(text));
  if (asks && sentences.length > 0) {
    await askAboutContradictions(session, deps, sentences);
  }
}

const CONTRADICTIONS_SHOWN = 3;

/** By the numbers of the checks: they are the same in prompts, panel and command line. */
function contradictionText(
  [first, second]: Contradiction,
  numbered: readonly NumberedCheck[]
): string {
  const source = (check: CheckPlace) => cutLine(check.source, 100);
  const place = ({ cellId, line }: CheckPlace) => {
    const check = numbered.find(
      one => one.cellId === cellId && one.line <= line && line <= one.lastLine
    );
    return check
      ? sentence('check.place', check.number, line)
      : sentence('check.line', line);
  };
  return sentence(
    'checks.contradict',
    source(first),
    place(first),
    source(second),
    place(second)
  );
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
