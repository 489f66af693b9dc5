/** A human's verdict, on candidates that everybody else lets pass. */
import type { Review, Reviewed } from '../deps';
import type { Usage } from '../domain/model';
import type { Session } from '../session/session';
import type { EvaluationInput, IEvaluator, Verdict } from '../domain/verdict';

export type HumanOptions = {
  readonly session: Session;
  readonly review: (review: Review, signal: AbortSignal) => Promise<Reviewed>;
  readonly onHint: (hint: string) => void;
};

/** Not asked about attempt 0: whether to continue after it is a question of its own. */
export class HumanEvaluator implements IEvaluator {
  readonly name = 'human';
  readonly required = true;

  constructor(private readonly _options: HumanOptions) {}

  async evaluate(
    { attempt, candidate, execution, before }: EvaluationInput,
    _onUsage: (usage: Usage) => void,
    signal: AbortSignal
  ): Promise<Verdict> {
    if (attempt === 0) {
      return this._verdict('unknown', 'Nobody was asked.');
    }
    const { session, review, onHint } = this._options;
    const verdict = before ?? this._verdict('unknown', 'Nothing checks it.');
    const reviewed = await session.waitFor(
      'human',
      `Attempt ${attempt} waits for your review.`,
      review({ attempt, candidate, verdict, execution }, signal)
    );
    if (reviewed.decision === 'approve') {
      return this._verdict('pass');
    }
    const hint = reviewed.hint.trim();
    if (hint === '') {
      return this._verdict('fail', 'You rejected it.');
    }
    onHint(hint);
    return this._verdict('needs-improvement', `You rejected it: ${hint}`);
  }

  private _verdict(
    evaluation: Verdict['evaluation'],
    ...reasons: readonly string[]
  ): Verdict {
    return { evaluator: this.name, evaluation, score: null, reasons };
  }
}

/** True when the human wants no further attempt. */
export function isRejected(verdict: Verdict): boolean {
  return (verdict.parts ?? [verdict]).some(
    part => part.evaluator === 'human' && part.evaluation === 'fail'
  );
}
