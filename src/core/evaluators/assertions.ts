/** The verdict of the checking statements: nothing else can overturn it. */
import { withoutSkipped } from '../domain/checks/numberedChecks';
import { hasChecks } from '../domain/checks/checks';
import {
  countPassed,
  failedAssertions,
  isGated,
  saysNothing,
  type Execution
} from '../domain/execution';
import type { CheckCell, RefineRequest } from '../domain/request';
import { unscored, type Verdict } from '../domain/verdict';
import { HOLDOUT_FAILED } from '../domain/visible';

/**
 * score = checks that held / all of them; the hold-outs together count as one,
 * so that the score reveals no number of theirs. `pass` only
 * when the execution completed, there was at least one statement, every one
 * held and nothing was tampered with; `unknown` when the kernel died or nothing
 * checks the target.
 */
export function judgeExecution(
  request: RefineRequest,
  execution: Execution | null
): Verdict {
  const name = 'assertions';
  if (execution === null) {
    return hasChecks(request)
      ? unscored(name, 'fail', 'There was no candidate to run.')
      : unscored(name, 'unknown', 'Nothing checks it.');
  }
  const { passed, total, ...counts } = countStatements(request, execution);
  const verdict = { evaluator: name, passed, total };
  if (execution.status === 'cut' && saysNothing(execution)) {
    return {
      ...verdict,
      ...unscored(name, 'unknown', stopSentence(execution))
    };
  }
  const score = counts.all === 0 ? null : counts.held / counts.all;
  const reasons = failureReasons(execution);
  if (execution.status !== 'completed') {
    return { ...verdict, evaluation: 'fail', score, reasons };
  }
  if (execution.tampering.length > 0) {
    return { ...verdict, evaluation: 'fail', score: 0, reasons };
  }
  if (counts.all === 0) {
    const reason = 'The cell ran without errors, but nothing checks it.';
    const reasons = request.scorer ? [] : [reason];
    return { ...verdict, ...unscored(name, 'unknown', ...reasons) };
  }
  return counts.held === counts.all
    ? { ...verdict, evaluation: 'pass', score: 1, reasons: [] }
    : { ...verdict, evaluation: 'needs-improvement', score, reasons };
}

/**
 * `passed` of `total`: assertions (hold-outs, when there is nothing else), as k of n. `held` of `all`: with one more
 * for all hold-outs together, what the score is made of. The kernel's own count decides; where it gave none
 * for a role, the count from the source stands in.
 */
function countStatements(request: RefineRequest, execution: Execution) {
  const count = (role: CheckCell['role'], cells: readonly CheckCell[]) => {
    const { passed, total } = countPassed(execution.assertions, role);
    const known = cells.reduce((sum, cell) => sum + cell.statements, 0);
    return { passed, total: total > 0 ? total : known };
  };
  const visible = request.assertions.map(cell =>
    withoutSkipped(cell, request.language)
  );
  const assertions = count('assertion', visible);
  const holdouts = count('holdout', request.holdouts);
  const holdoutsHeld = holdouts.passed === holdouts.total;
  return {
    ...(assertions.total > 0 ? assertions : holdouts),
    held: assertions.passed + Number(holdouts.total > 0 && holdoutsHeld),
    all: assertions.total + Number(holdouts.total > 0)
  };
}

function failureReasons(execution: Execution): readonly string[] {
  const { tampering, status, error } = execution;
  const failed = failedAssertions(execution);
  const isHidden = failed.some(({ role }) => role === 'holdout');
  return [
    ...tampering.map(message => `The result is not trusted: ${message}`),
    ...(status === 'cut' ? [stopSentence(execution)] : []),
    ...(isGated(execution)
      ? ['It was not run: its source contains an error.']
      : error
        ? [`The candidate raised ${error.name}.`]
        : []),
    ...failed.flatMap(({ role, line, source }) =>
      role === 'assertion' ? [`Line ${line} failed: ${source}`] : []
    ),
    ...(isHidden ? [HOLDOUT_FAILED] : [])
  ];
}

function stopSentence(execution: Execution): string {
  return (
    execution.stopMessage ?? `The execution was cut: ${execution.stop ?? ''}.`
  );
}
