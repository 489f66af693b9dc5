/** The questions a session may have while it runs, in words. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Ask, Asked, Review, Reviewed } from '../../../../core/deps';
import type { RefineQuestion } from '../../../../tokens';
import type { Questions } from '../../questions';

/** A question with two answers; one that is taken away is never a yes. */
async function askYes(
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

/** May attempts run in the live kernel, since they cannot be isolated here? */
export function askLive(
  questions: Questions,
  reasons: readonly string[],
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  return askYes(
    questions,
    {
      subject: 'live',
      title: trans.__('Attempts cannot be isolated here'),
      body: [
        trans.__(
          'Each attempt would run in your live kernel. Anything it changes, writes or deletes is permanent.'
        ),
        ...reasons
      ].join('\n')
    },
    { no: trans.__('Don’t run'), yes: trans.__('Run in the live kernel') },
    signal
  );
}

/**
 * May attempts run although files or network are open to them here?
 *
 * @param open what may happen, a sentence each.
 */
export function askOpen(
  questions: Questions,
  open: readonly string[],
  reasons: readonly string[],
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  return askYes(
    questions,
    {
      subject: 'live',
      title: trans.__('Attempts are only partly isolated here'),
      body: [...open, ...reasons].join('\n')
    },
    { no: trans.__('Don’t run'), yes: trans.__('Run anyway') },
    signal
  );
}

/** What the loop asks of the user. */
export function askSession(
  questions: Questions,
  trans: TranslationBundle
): Ask {
  return async (subject, signal, detail) => {
    switch (subject) {
      case 'continue':
        return askContinue(questions, signal, trans);
      case 'execute':
        return askExecute(
          questions,
          { attempt: detail?.attempt ?? 0, code: detail?.code ?? '' },
          signal,
          trans
        );
    }
  };
}

/** The cell already passes: continue anyway? */
function askContinue(
  questions: Questions,
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  return askYes(
    questions,
    {
      subject: 'continue',
      title: trans.__('The cell already passes'),
      body: trans.__('No model was called.')
    },
    { no: trans.__('Leave unchanged'), yes: trans.__('Refine anyway') },
    signal
  );
}

/** May this candidate run? (`approveExecution`) */
async function askExecute(
  questions: Questions,
  { attempt, code }: { readonly attempt: number; readonly code: string },
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<Asked> {
  const answer = await questions.askForMore(
    {
      subject: 'execute',
      title: trans.__('Run attempt %1?', attempt),
      body: trans.__(
        'It needs your permission to run. To decline, say what should be different.'
      ),
      code: { attempt, source: code },
      field: { label: trans.__('What should be different?') },
      choices: [
        {
          id: 'hint',
          label: trans.__('Don’t run, use this hint'),
          takesText: true
        },
        { id: 'run', label: trans.__('Run') },
        { id: 'stop', label: trans.__('Don’t run and stop') }
      ]
    },
    signal
  );
  return answer?.choice === 'hint'
    ? { hint: answer.text }
    : answer?.choice === 'run';
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
