/** A human's verdict, on candidates that everybody else lets pass. */
import type { RefineDeps } from '../deps';
import type { Session } from '../session/session';
import type { IEvaluator, Verdict } from '../domain/verdict';

/** Not asked about attempt 0: whether to continue after it is a question of its own. */
export function humanEvaluator(
  session: Session,
  review: NonNullable<RefineDeps['review']>
): IEvaluator {
  const name = 'human';
  const verdictOf = (
    evaluation: Verdict['evaluation'],
    ...reasons: readonly string[]
  ): Verdict => ({ evaluator: name, evaluation, score: null, reasons });
  return {
    name,
    required: true,
    evaluate: async (
      { attempt, candidate, execution, before },
      _onUsage,
      signal
    ) => {
      if (attempt === 0) {
        return verdictOf('unknown', 'Nobody was asked.');
      }
      const verdict = before ?? verdictOf('unknown', 'Nothing checks it.');
      const reviewed = await session.waitFor(
        'human',
        `Attempt ${attempt} waits for your review.`,
        review({ attempt, candidate, verdict, execution }, signal)
      );
      if (reviewed.decision === 'approve') {
        return verdictOf('pass');
      }
      const hint = reviewed.hint.trim();
      if (hint === '') {
        return verdictOf('fail', 'You rejected it.');
      }
      session.emit({ type: 'hint', text: hint });
      return verdictOf('needs-improvement', `You rejected it: ${hint}`);
    }
  };
}

/** True when the human wants no further attempt. */
export function isRejected(verdict: Verdict): boolean {
  return (verdict.parts ?? [verdict]).some(
    part => part.evaluator === 'human' && part.evaluation === 'fail'
  );
}
