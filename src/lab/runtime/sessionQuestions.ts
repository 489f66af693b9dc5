/** The questions a session may have while it runs, in words. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Questions } from './questions';

/** May attempts run in the live kernel, since they cannot be isolated here? */
export async function askLive(
  questions: Questions,
  reasons: readonly string[],
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  const choice = await questions.ask(
    {
      subject: 'live',
      title: trans.__('Attempts cannot be isolated here'),
      body: [
        trans.__(
          'Each attempt would run in your live kernel: what it changes, writes or deletes stays.'
        ),
        ...reasons
      ].join('\n'),
      choices: [
        { id: 'no', label: trans.__('Do not run') },
        { id: 'yes', label: trans.__('Run in the live kernel') }
      ]
    },
    signal
  );
  return choice === 'yes';
}

/**
 * May attempts run although files or network are open to them here?
 *
 * @param open what may happen, a sentence each.
 */
export async function askOpen(
  questions: Questions,
  open: readonly string[],
  reasons: readonly string[],
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  const choice = await questions.ask(
    {
      subject: 'live',
      title: trans.__('Attempts are only partly isolated here'),
      body: [...open, ...reasons].join('\n'),
      choices: [
        { id: 'no', label: trans.__('Do not run') },
        { id: 'yes', label: trans.__('Run all the same') }
      ]
    },
    signal
  );
  return choice === 'yes';
}

/** What the cell holds passes already: go on all the same? */
export async function askContinue(
  questions: Questions,
  signal: AbortSignal,
  trans: TranslationBundle
): Promise<boolean> {
  const choice = await questions.ask(
    {
      subject: 'continue',
      title: trans.__('What the cell holds passes already'),
      body: trans.__('No model was called.'),
      choices: [
        { id: 'no', label: trans.__('Leave it') },
        { id: 'yes', label: trans.__('Refine it all the same') }
      ]
    },
    signal
  );
  return choice === 'yes';
}
