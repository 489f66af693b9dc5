/** Questions to the user as promises: one is shown at a time, in the order they were asked. */
import { UUID } from '@lumino/coreutils';
import type { RefineQuestion } from '../../tokens';

type Pending = {
  readonly question: RefineQuestion;
  readonly settle: (choiceId: string | null) => void;
};

export class Questions {
  /** @param onChange called whenever {@link current} may be another one. */
  constructor(private readonly onChange: () => void) {}

  get current(): RefineQuestion | null {
    return this.pending[0]?.question ?? null;
  }

  /**
   * Resolves with the id of the chosen choice; with null when the signal takes
   * the question away, which is never a yes.
   */
  ask(
    question: Omit<RefineQuestion, 'id'>,
    signal: AbortSignal
  ): Promise<string | null> {
    if (signal.aborted) {
      return Promise.resolve(null);
    }
    return new Promise(resolve => {
      const pending: Pending = {
        question: { ...question, id: UUID.uuid4() },
        settle: choiceId => {
          this.pending.splice(this.pending.indexOf(pending), 1);
          signal.removeEventListener('abort', onAbort);
          resolve(choiceId);
          this.onChange();
        }
      };
      const onAbort = () => pending.settle(null);
      signal.addEventListener('abort', onAbort, { once: true });
      this.pending.push(pending);
      this.onChange();
    });
  }

  /** An unknown question or choice is ignored: the panel may be a frame behind. */
  answer(questionId: string, choiceId: string): void {
    const found = this.pending.find(p => p.question.id === questionId);
    if (found?.question.choices.some(choice => choice.id === choiceId)) {
      found.settle(choiceId);
    }
  }

  private readonly pending: Pending[] = [];
}
