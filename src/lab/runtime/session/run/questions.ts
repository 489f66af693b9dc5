/** The questions a session may have while it runs, in words. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Ask, Review, Reviewed } from '../../../../core/deps';
import type { RefineQuestion } from '../../../../tokens';
import type { Questions } from '../../questions';

/** A question with two answers; one that is taken away is never a yes. */
export async function askYes(
  questions: Questions,
  question: Omit<RefineQuestion, 'id' | 'choices'>,
  labels: { readonly no: string; readonly yes: string },
  signal: AbortSignal
): Promise<boolean> {
  const choices = [
    { id: 'no', label: labels.no },
    { id: 'yes', label: labels.yes }
  ];
  return (await questions.ask({ ...question, choices }, signal)) === 'yes';
}

/** What the loop asks of the user: whether to go on with a cell that passes, and whether a candidate may run (`approveExecution`). */
export function askSession(
  questions: Questions,
  trans: TranslationBundle
): Ask {
  return async (subject, signal, detail) => {
    if (subject === 'continue') {
      return askYes(
        questions,
        {
          subject,
          title: trans.__('The cell already passes'),
          body: trans.__('No model was called.')
        },
        { no: trans.__('Leave unchanged'), yes: trans.__('Refine anyway') },
        signal
      );
    }
    const attempt = detail?.attempt ?? 0;
    return askYes(
      questions,
      {
        subject,
        title: trans.__('Run attempt %1?', attempt),
        body: trans.__('It needs your permission to run.'),
        code: { attempt, source: detail?.code ?? '' }
      },
      { no: trans.__('Don’t run and stop'), yes: trans.__('Run') },
      signal
    );
  };
}

/**
 * The human evaluator: approve, reject with a hint and continue, or reject and stop.
 */
export async function askReview(
  questions: Questions,
  { attempt, verdict, execution }: Review,
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<Reviewed> {
  const results = execution?.assertions ?? [];
  const answer = await questions.askForMore(
    {
      subject: 'review',
      title:
        results.length > 0 || verdict.metric
          ? trans.__('Attempt %1 passes its checks. Approve it?', attempt)
          : trans.__('Nothing else checks attempt %1. Approve it?', attempt),
      body: trans.__('What was found is in its row below.'),
      field: { label: trans.__('What should be different?') },
      choices: [
        { id: 'approve', label: trans.__('Approve') },
        {
          id: 'hint',
          label: trans.__('Reject with this hint'),
          takesText: true
        },
        { id: 'stop', label: trans.__('Reject and stop') }
      ]
    },
    signal
  );
  return answer?.choice === 'approve'
    ? { decision: 'approve' }
    : { decision: 'reject', hint: answer?.text ?? '' };
}
