/** Questions to the user as promises: one is shown at a time, in the order they were asked. */
import { UUID } from '@lumino/coreutils';
import type { AnswerDetail, RefineQuestion } from '../../tokens';

type Pending = {
  readonly question: RefineQuestion;
  readonly settle: (answer: Answer | null) => void;
};

type Asked = Omit<RefineQuestion, 'id'>;

/** The chosen choice, and what it took along. */
type Answer = { readonly choice: string } & Required<AnswerDetail>;

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
  async ask(question: Asked, signal: AbortSignal): Promise<string | null> {
    return (await this.askForMore(question, signal))?.choice ?? null;
  }

  /** The same for a question with a field or with drafts. */
  askForMore(question: Asked, signal: AbortSignal): Promise<Answer | null> {
    if (signal.aborted) {
      return Promise.resolve(null);
    }
    return new Promise(resolve => {
      const pending: Pending = {
        question: { ...question, id: UUID.uuid4() },
        settle: answer => {
          this.pending.splice(this.pending.indexOf(pending), 1);
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
          this.onChange();
        }
      };
      const onAbort = () => pending.settle(null);
      signal.addEventListener('abort', onAbort, { once: true });
      this.pending.push(pending);
      this.onChange();
    });
  }

  /**
   * An unknown question or choice is ignored: the panel may be a frame behind.
   * So is a choice that was not given what it takes.
   */
  answer(
    questionId: string,
    choiceId: string,
    { text = '', lines = [] }: AnswerDetail = {}
  ): void {
    const found = this.pending.find(p => p.question.id === questionId);
    const chosen = found?.question.choices.find(c => c.id === choiceId);
    if (!found || !chosen) {
      return;
    }
    const usable = (found.question.drafts ?? [])
      .filter(draft => draft.problem === null)
      .map(draft => draft.line);
    const answer: Answer = {
      choice: choiceId,
      text: chosen.takesText ? text.trim() : '',
      lines: chosen.takesDrafts ? usable.filter(l => lines.includes(l)) : []
    };
    if (
      !(chosen.takesText && answer.text === '') &&
      !(chosen.takesDrafts && answer.lines.length === 0)
    ) {
      found.settle(answer);
    }
  }

  private readonly pending: Pending[] = [];
}
