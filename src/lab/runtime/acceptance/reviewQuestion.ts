/** Asks what becomes of a proposed source, which its cell shows as a change meanwhile. */
import type { ICellModel } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import { linkedController } from '../../../core/session/abort';
import type { Questions } from '../questions';
import type { ICellReview, ReviewOptions } from './cellReview';

export type ReviewPorts = {
  readonly questions: Questions;
  readonly trans: TranslationBundle;
  /** Show a change in the cell until it is disposed of; null where the cell cannot show one. */
  readonly review: (
    cellId: string,
    options: Omit<ReviewOptions, 'trans'>
  ) => ICellReview | null;
};

export type ProposedSource = {
  readonly proposed: string;
  readonly title: string;
  readonly body: readonly string[];
  readonly canRun: boolean;
};

export type ReviewedSource = {
  readonly how: 'inserted' | 'ran';
  /** What the user accepted of it; absent where the cell showed no change. */
  readonly source?: string;
};

/** Null: the cell stays as it is. The cell shows its own source again when this resolves. */
export async function askWithReview(
  { questions, trans, review: open }: ReviewPorts,
  cell: ICellModel,
  { proposed, title, body, canRun }: ProposedSource,
  signal: AbortSignal
): Promise<ReviewedSource | null> {
  const choices = [
    { id: 'insert', label: trans.__('Write only') },
    ...(canRun ? [{ id: 'run', label: trans.__('Write and run') }] : []),
    { id: 'leave', label: trans.__('Leave unchanged') }
  ];
  const { controller, unlink } = linkedController(signal);
  let choice: string | null = null;
  const choose = (chosen: string) => {
    choice = chosen;
    controller.abort();
  };
  const hint = trans.__(
    'The cell shows the change. You can reject parts of it there; the rest is written.'
  );
  const review =
    cell.sharedModel.getSource() === proposed
      ? null
      : open(cell.id, {
          proposed,
          choices,
          onChoice: choose
        });
  try {
    const answer = await questions.ask(
      {
        subject: 'accept',
        title,
        body: (review ? [...body, hint] : body).join('\n'),
        choices
      },
      controller.signal
    );
    choice ??= answer;
    return choice === 'insert' || choice === 'run'
      ? {
          how: choice === 'run' ? 'ran' : 'inserted',
          ...(review ? { source: review.source } : {})
        }
      : null;
  } finally {
    unlink();
    review?.dispose();
  }
}
