/** What a `%refine` line prints. */
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
  return line === ''
    ? statusText(view, trans)
    : trans.__(
        'Unknown: %refine %1. Use %refine for the status, %refine stop to stop the session.',
        line
      );
}

function statusText(
  { session, target, interrupted }: RefineView,
  trans: TranslationBundle
): string {
  const label = target?.label ?? trans.__('the cell');
  if (!session) {
    return trans.__(
      'Refine: no session. Start a cell with %%%%refine and a prompt, or run the command Refine Cell.'
    );
  }
  const attempt = session.attempts.at(-1)?.attempt ?? 0;
  const { outcome } = session;
  if (outcome?.passed) {
    return trans.__('Refine: %1 passed on attempt %2.', label, attempt);
  }
  return outcome || interrupted
    ? trans.__(
        'Refine: %1 ended without a pass after attempt %2.',
        label,
        attempt
      )
    : trans.__('Refine: %1, attempt %2 is running.', label, attempt);
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
