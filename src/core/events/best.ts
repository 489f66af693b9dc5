/** Which of two attempts is better, and the best attempt of a session. */
import { saysNothing } from '../domain/execution';
import type { BestAttempt } from '../domain/outcome';
import type { AttemptState } from './state';
import type { Evaluation, Metric, Verdict } from '../domain/verdict';

const RANK: Readonly<Record<Evaluation, number>> = {
  pass: 3,
  'needs-improvement': 2,
  fail: 1,
  unknown: 0
};

/**
 * Positive when `a` is better than `b`, 0 when neither is. A pass comes first,
 * then how many evaluators held, then the metric in its own direction, then the
 * score, then the evaluation. Metrics and scores are never compared with each other.
 */
export function compareVerdicts(a: Verdict, b: Verdict): number {
  return (
    Number(a.evaluation === 'pass') - Number(b.evaluation === 'pass') ||
    held(a) - held(b) ||
    Number(runs(a)) - Number(runs(b)) ||
    Number(Boolean(a.metric)) - Number(Boolean(b.metric)) ||
    (a.metric && b.metric ? gain(a.metric) - gain(b.metric) : 0) ||
    (a.score ?? -1) - (b.score ?? -1) ||
    RANK[a.evaluation] - RANK[b.evaluation]
  );
}

/** What every exit keeps of an attempt. */
export function bestAttempt(attempt: AttemptState): BestAttempt {
  const { verdict } = attempt;
  return {
    attempt: attempt.attempt,
    candidate: attempt.code,
    thoughts: attempt.thoughts,
    evaluation: verdict?.evaluation ?? 'unknown',
    score: verdict?.score ?? null,
    ...(verdict?.metric ? { metric: verdict.metric } : {}),
    passed: verdict?.passed ?? 0,
    total: verdict?.total ?? 0
  };
}

/** True when the code of an attempt is whole and was run or judged: it can be written into the cell. */
export function isUsable(attempt: AttemptState): boolean {
  const { code, phase, failure, execution } = attempt;
  return (
    attempt.attempt > 0 &&
    code !== '' &&
    phase === 'ended' &&
    (execution === null ? failure === null : !saysNothing(execution))
  );
}

function held(verdict: Verdict): number {
  const parts = verdict.parts ?? [verdict];
  return parts.filter(({ evaluation }) => evaluation === 'pass').length;
}

/** True when an error is fixed where nothing checks the cell. */
function runs({ evaluator, evaluation, parts }: Verdict): boolean {
  return parts
    ? parts.some(runs)
    : evaluator === 'repair' && evaluation === 'unknown';
}

/** Its value, where more is better. */
function gain({ goal, value }: Metric): number {
  return goal === 'max' ? value : -value;
}
