/** The answers in words that a panel shows for one target: while they are written, and afterwards. */
import { UUID } from '@lumino/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Explanation } from '../../../core/events/events';
import { NO_USAGE, type Usage } from '../../../core/domain/model';
import { RefineError } from '../../../core/errors';
import type { ShownError } from '../../../core/explain/explain';
import type { ExplanationView } from '../../../tokens';
import { errorSentence } from '../words';

/** Writes one answer; reports its text so far and at the end what it cost. */
export type AnswerWriter = (
  signal: AbortSignal,
  onText: (text: string) => void,
  onUsage: (usage: Usage) => void
) => Promise<unknown>;

export class Explanations {
  /** @param onChange called whenever {@link list} is another one. */
  constructor(
    private readonly trans: TranslationBundle,
    private readonly onChange: () => void
  ) {}

  /** The error that was explained last; later questions are about it, too. */
  error: ShownError | undefined;

  /** Oldest first. */
  get list(): readonly ExplanationView[] {
    return this._list;
  }

  /** Those with an answer, oldest first. */
  get answered(): readonly ExplanationView[] {
    return this._list.filter(
      ({ text, status }) => status !== 'writing' && text !== ''
    );
  }

  /** Show those of an earlier page or session. */
  recall(
    earlier: readonly Pick<ExplanationView, 'question' | 'text' | 'usage'>[]
  ): void {
    this._list = earlier
      .filter(({ text }) => text !== '')
      .map(({ question, text, usage }) => ({
        id: UUID.uuid4(),
        question,
        text,
        usage,
        status: 'earlier'
      }));
  }

  /**
   * One answer at a time: another question stops the one being written.
   *
   * @returns what came and what it cost, also of an answer that failed or was
   * stopped; null when no call was made. Never rejects.
   */
  async write(
    question: string,
    writer: AnswerWriter
  ): Promise<Explanation | null> {
    this.stop();
    const abort = new AbortController();
    this.writing = abort;
    let view: ExplanationView = {
      id: UUID.uuid4(),
      question,
      text: '',
      usage: null,
      status: 'writing'
    };
    const show = (change: Partial<ExplanationView>) => {
      view = { ...view, ...change };
      this._list = this._list.some(({ id }) => id === view.id)
        ? this._list.map(other => (other.id === view.id ? view : other))
        : [...this._list, view];
      this.onChange();
    };
    show({});
    try {
      await writer(
        abort.signal,
        text => show({ text }),
        usage => show({ usage })
      );
      show({ status: 'ended' });
    } catch (reason) {
      if (abort.signal.aborted) {
        show({ status: 'stopped' });
      } else {
        show({ status: 'failed', message: errorSentence(reason, this.trans) });
        if (!(reason instanceof RefineError)) {
          console.error('jupyterlab-refine:', reason);
        }
      }
    } finally {
      if (this.writing === abort) {
        this.writing = null;
      }
    }
    const { text, usage } = view;
    return usage === null && text === ''
      ? null
      : { question, text, usage: usage ?? NO_USAGE };
  }

  stop(): void {
    this.writing?.abort(new DOMException('Stopped', 'AbortError'));
    this.writing = null;
  }

  private _list: readonly ExplanationView[] = [];
  private writing: AbortController | null = null;
}
