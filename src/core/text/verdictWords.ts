/** What a judge, or an evaluator of another extension, says of an attempt; panel and command line say the same. */
import { traitsOf } from '../domain/evaluators';
import type { Verdict } from '../domain/verdict';
import type { Translation } from './english';

/** Of an attempt that no evaluator saw. */
const NO_EVALUATOR = 'none';

/** The verdicts that nothing else of an attempt shows: its checks, findings and metric do that of the others. */
export function opinions(verdict: Verdict | null): readonly Verdict[] {
  return (verdict?.parts ?? (verdict ? [verdict] : [])).filter(
    ({ evaluator }) =>
      evaluator !== NO_EVALUATOR && traitsOf(evaluator).inPrompts === 'known'
  );
}

/** `judge: needs improvement, 4 of 10` */
export function opinionLine(
  { evaluator, evaluation, score }: Verdict,
  trans: Translation
): string {
  if (evaluator === 'repair') {
    return evaluation === 'unknown'
      ? trans.__('Fix error: runs, not checked')
      : trans.__('Fix error: not fixed');
  }
  const name = evaluator === 'judge' ? trans.__('judge') : evaluator;
  const word = {
    pass: trans.__('accepted'),
    'needs-improvement': trans.__('needs improvement'),
    fail: trans.__('failed'),
    unknown: trans.__('no verdict')
  }[evaluation];
  return score === null
    ? trans.__('%1: %2', name, word)
    : trans.__('%1: %2, %3 of 10', name, word, Math.round(score * 100) / 10);
}
