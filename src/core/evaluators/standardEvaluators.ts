/** The evaluators that the settings ask for. */
import { compareMetrics } from '../events/best';
import type { Extensions, RefineDeps } from '../deps';
import { addedEvaluators } from '../extensions';
import { AssertionEvaluator, judgeExecution } from './assertions';
import { HumanEvaluator } from './human';
import { JudgeEvaluator } from './judge';
import { ScorerEvaluator } from './scorer';
import { StaticEvaluator } from './static';
import type { ILanguageModel } from '../domain/model';
import { hasChecks } from '../domain/checks/checks';
import type { RefineRequest } from '../domain/request';
import type { Session } from '../session/session';
import type { SessionState } from '../events/state';
import type {
  IEvaluator,
  Metric,
  EvaluationInput,
  Verdict
} from '../domain/verdict';
import {
  repairDoubt,
  repairJob,
  repairRefusals,
  RUNS_UNCHECKED
} from '../domain/repair';

/** Never a pass: `unknown` for a candidate that runs, `fail` for one that raises or only hides the error. */
class RepairEvaluator implements IEvaluator {
  readonly name = 'repair';
  readonly required = true;
  readonly canPassAlone = false;

  constructor(private readonly _state: () => SessionState) {}

  async evaluate(input: EvaluationInput): Promise<Verdict> {
    const { request, attempt, execution } = input;
    const verdict = judgeExecution(request, execution);
    const first = this._state().attempts.find(a => a.attempt === 0)?.execution;
    const job = attempt > 0 ? repairJob(request, first) : undefined;
    if (verdict.evaluation !== 'unknown' || execution?.status !== 'completed') {
      return verdict;
    }
    const refusals = job ? repairRefusals(job, execution.repair) : [];
    if (refusals.length > 0) {
      return {
        ...{ evaluator: this.name, evaluation: 'fail' },
        ...{ score: null, reasons: refusals }
      };
    }
    const doubt = job ? repairDoubt(job, execution.repair) : null;
    return {
      evaluator: this.name,
      evaluation: 'unknown',
      score: null,
      reasons: [RUNS_UNCHECKED, ...(doubt === null ? [] : [doubt])]
    };
  }
}

export type StandardEvaluators = {
  readonly session: Session;
  readonly request: RefineRequest;
  readonly extensions: Extensions;
  /** Judges where the settings ask for a judge; null: there is none. */
  readonly judge: ILanguageModel | null;
  /** Reviews where the settings ask for a human; null: there is none. */
  readonly human: RefineDeps['review'] | null;
};

/** Cheap ones first. The assertions decide before all others, which are not called for a candidate that fails them. */
export function standardEvaluators(
  options: StandardEvaluators
): readonly IEvaluator[] {
  const judge = judgeEvaluator(options);
  const human = humanEvaluator(options);
  const alone =
    !hasChecks(options.request) && judge.length + human.length === 0;
  return [
    alone && options.request.repair
      ? new RepairEvaluator(() => options.session.state)
      : new AssertionEvaluator(),
    ...staticEvaluator(options),
    ...scorerEvaluator(options, alone),
    ...addedEvaluators(options.request.options.evaluators, options.extensions),
    ...judge,
    ...human
  ];
}

/** Prose has no source to look at. */
function staticEvaluator({ session, request }: StandardEvaluators) {
  return request.options.evaluators.includes('static') &&
    request.target.kind === 'code'
    ? [new StaticEvaluator(message => session.warn(message))]
    : [];
}

/** A scorer cell counts, whether or not `evaluators` names it: who tags one wants it to. */
function scorerEvaluator(
  { session, request }: StandardEvaluators,
  alone: boolean
) {
  const { evaluators, targetScore: target } = request.options;
  if (!request.scorer) {
    if (evaluators.includes('scorer')) {
      session.warn(
        'The evaluators setting includes scorer, but no cell is tagged refine-scorer. Nothing is measured.'
      );
    }
    return [];
  }
  return [
    new ScorerEvaluator({
      required: target !== null || alone,
      target,
      best: () => bestMetric(session.state),
      warn: (message, attempt) => session.warn(message, attempt)
    })
  ];
}

/** The target of a session that measures is the metric's: no score of a judge reaches it. */
function judgeEvaluator(options: StandardEvaluators) {
  const { session, request, judge } = options;
  const { evaluators, criteria, maxOutputTokens, targetScore } =
    request.options;
  return evaluators.includes('judge') && judge
    ? [
        new JudgeEvaluator({
          model: judge,
          criteria,
          targetScore: request.scorer ? null : targetScore,
          onCall: (attempt, usage, call) =>
            session.addCall(attempt, 'judge', usage, call),
          roomFor: promptTokens =>
            session.room(judge, promptTokens, maxOutputTokens)
        })
      ]
    : [];
}

function humanEvaluator({ session, request, human }: StandardEvaluators) {
  return request.options.evaluators.includes('human') && human
    ? [
        new HumanEvaluator({
          session,
          review: human,
          onHint: text => session.emit({ type: 'hint', text })
        })
      ]
    : [];
}

/** The best value so far, whatever else was said of its attempt. */
function bestMetric({ attempts }: SessionState) {
  return attempts.reduce<{ attempt: number; metric: Metric } | null>(
    (best, { attempt, verdict, phase }) => {
      const metric = phase === 'ended' ? verdict?.metric : undefined;
      return metric && (!best || compareMetrics(metric, best.metric) > 0)
        ? { attempt, metric }
        : best;
    },
    null
  );
}
