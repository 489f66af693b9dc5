/** What a `%refine` line prints, and what is wrong with a `%%refine` line. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { RefineView } from '../../tokens';

/** @param line what follows `%refine`: empty, or `stop`. */
export function lineReply(
  line: string,
  view: RefineView,
  trans: TranslationBundle
): string {
  if (line === 'stop') {
    return view.session
      ? trans.__('Refine: stopped.')
      : trans.__('Refine: no session is running.');
  }
  if (line !== '') {
    return trans.__(
      'Unknown: %refine %1. Use %refine for the status, %refine stop to stop the session.',
      line
    );
  }
  return view.session
    ? trans.__('%1 (%2)', statusText(view, trans), view.target?.label ?? '')
    : trans.__(
        'Refine: no session. Start a cell with %%%%refine and a prompt, or run the command Refine Cell.'
      );
}

/** `Refine: attempt 2`, `Refine: passed on attempt 3`; empty without a session. */
export function statusText(
  { session, interrupted, question }: RefineView,
  trans: TranslationBundle
): string {
  if (session === null) {
    return '';
  }
  if (question !== null) {
    return trans.__('Refine: waiting for you');
  }
  const attempt = session.attempts.at(-1)?.attempt ?? 0;
  if (session.outcome !== null) {
    return session.outcome.passed
      ? trans.__('Refine: passed on attempt %1', attempt)
      : trans.__('Refine: ended without a pass');
  }
  return interrupted
    ? trans.__('Refine: interrupted')
    : session.paused
      ? trans.__('Refine: paused')
      : attempt > 0
        ? trans.__('Refine: attempt %1', attempt)
        : trans.__('Refine: starting');
}

/** True for the source of a cell that IPython would hand to our cell magic. */
export function isRefineMagic(source: string): boolean {
  return /^\s*%%refine(\s|$)/.test(source);
}

/** What a `%refine` line asks for: `stop`, the status when it is empty, or something that we do not know. */
export function refineLine(source: string): string | null {
  const found = /^[ \t]*%refine(?:[ \t]+(.*?))?[ \t]*$/m.exec(source);
  return found && !/^\s*%%/.test(source) ? (found[1] ?? '') : null;
}

/** A sentence for each option of a `%%refine` line that is unknown or wrong, before anything starts. */
export async function magicProblems(
  source: string
): Promise<readonly string[]> {
  // With zod, and needed only here.
  const [{ parseMagicCell }, { readCellOptions }] = await Promise.all([
    import('../../notebook/magicCell'),
    import('../../notebook/options')
  ]);
  return readCellOptions({}, parseMagicCell(source).options).warnings;
}
