/** A human's verdict, on candidates that everybody else lets pass. */
import type { RefineDeps } from '../deps';
import type { Session } from '../session/session';
import { unscored, type IEvaluator, type Verdict } from '../domain/verdict';

/** Not asked about attempt 0: whether to continue after it is a question of its own. */
export function humanEvaluator(
  session: Session,
  review: NonNullable<RefineDeps['review']>
): IEvaluator {
  const name = 'human';
  return {
    name,
    required: true,
    evaluate: async (
      { attempt, candidate, execution, before },
      _onUsage,
      signal
    ) => {
      if (attempt === 0) {
        return unscored(name, 'unknown', 'Nobody was asked.');
      }
      const verdict = before ?? unscored(name, 'unknown', 'Nothing checks it.');
      const reviewed = await session.waitFor(
        'human',
        `Attempt ${attempt} waits for your review.`,
        review({ attempt, candidate, verdict, execution }, signal)
      );
      if (reviewed.decision === 'approve') {
        return unscored(name, 'pass');
      }
      const hint = reviewed.hint.trim();
      if (hint === '') {
        return unscored(name, 'fail', 'You rejected it.');
      }
      session.emit({ type: 'hint', text: hint });
      return unscored(name, 'needs-improvement', `You rejected it: ${hint}`);
    }
  };
}

/** True when the human wants no further attempt. */
export function isRejected(verdict: Verdict): boolean {
  return (verdict.parts ?? [verdict]).some(
    part => part.evaluator === 'human' && part.evaluation === 'fail'
  );
}
