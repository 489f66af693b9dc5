/** The evaluators that the settings ask for. */
import { addedEvaluators } from '../extensions';
import { judgeExecution } from './assertions';
import { humanEvaluator } from './human';
import { judgeEvaluator } from './judge';
import { scorerEvaluator } from './scorer';
import { staticEvaluator } from './static';
import { hasChecks } from '../domain/checks/checks';
import type { Session } from '../session/session';
import { unscored, type IEvaluator } from '../domain/verdict';
import { repairJob, RUNS_UNCHECKED } from '../domain/repair';

/** Never a pass: `unknown` for a candidate that runs, `fail` for one that raises or only hides the error. */
function repairEvaluator(session: Session): IEvaluator {
  const name = 'repair';
  return {
    name,
    required: true,
    evaluate: async ({ request, attempt, execution }) => {
      const verdict = judgeExecution(request, execution);
      if (
        verdict.evaluation !== 'unknown' ||
        execution?.status !== 'completed'
      ) {
        return verdict;
      }
      const first = session.state.attempts.find(a => a.attempt === 0);
      const error = repairJob(request, first?.execution)?.error;
      const {
        silenced,
        handled,
        missing = []
      } = (attempt > 0 && execution.repair) || {};
      const refusals = [
        silenced &&
          `It still raises ${error} and only hides it. Fix the cause.`,
        missing.length > 0 && `It no longer defines ${missing.join(', ')}.`
      ].flatMap(refusal => refusal || []);
      const doubt = `The error may be hidden: ${error} is still raised, and the code goes on.`;
      return refusals.length > 0
        ? unscored(name, 'fail', ...refusals)
        : unscored(
            name,
            'unknown',
            RUNS_UNCHECKED,
            ...(handled ? [doubt] : [])
          );
    }
  };
}

/**
 * Cheap ones first. The assertions decide before all others, which are not called for a candidate that fails them.
 *
 * @param isAttempting - code is written or edited: a check asks no human.
 */
export function standardEvaluators(
  session: Session,
  isAttempting: boolean
): readonly IEvaluator[] {
  const { request, deps, judge } = session;
  const { evaluators, targetScore } = request.options;
  const asks = (name: string) => evaluators.includes(name);
  const judging = asks('judge') ? judge : null;
  const reviewing = asks('human') && isAttempting ? deps.review : undefined;
  const alone = !hasChecks(request) && !judging && !reviewing;
  if (asks('scorer') && !request.scorer) {
    session.warn(
      'The evaluators setting includes scorer, but no cell is tagged refine-scorer. Nothing is measured.'
    );
  }
  return [
    alone && request.repair
      ? repairEvaluator(session)
      : {
          name: 'assertions',
          required: true,
          evaluate: async ({ execution }) => judgeExecution(request, execution)
        },
    // Prose has no source to look at.
    ...(asks('static') && request.target.kind === 'code'
      ? [staticEvaluator(session)]
      : []),
    // A scorer cell counts, whether or not `evaluators` names it: who tags one wants it to.
    ...(request.scorer
      ? [scorerEvaluator(session, targetScore !== null || alone)]
      : []),
    ...addedEvaluators(session),
    ...(judging ? [judgeEvaluator(session, judging)] : []),
    ...(reviewing ? [humanEvaluator(session, reviewing)] : [])
  ];
}
