/** The checks of a target while its session runs: those the notebook holds, once nobody is in the middle of an edit. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { hasSameChecks } from '../../../../core/domain/checks/checks';
import type { RequestChecks } from '../../../../core/domain/request';
import { syntaxErrorAt } from '../../../../core/python/syntax';

/** Milliseconds without a change after which an edit is over. */
const QUIET_MS = 1500;
const POLL_MS = 250;

/**
 * The checks now. They come at once while they are `known`; after an edit, when
 * nothing has changed for a moment and no statement is half written.
 *
 * @param read the checks as they stand in the notebook; null: the target is gone.
 */
export function checksNow(
  panel: NotebookPanel,
  read: () => RequestChecks | null,
  known: RequestChecks,
  signal: AbortSignal
): RequestChecks | Promise<RequestChecks> {
  const now = read();
  return now === null || hasSameChecks(now, known)
    ? known
    : settled(panel, read, now, signal);
}

async function settled(
  panel: NotebookPanel,
  read: () => RequestChecks | null,
  first: RequestChecks,
  signal: AbortSignal
): Promise<RequestChecks> {
  let last = first;
  for (let quiet = 0; quiet < QUIET_MS; quiet += POLL_MS) {
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
    const now = read() ?? last;
    if (isTypingPython(panel) || !hasSameChecks(now, last)) {
      quiet = 0;
    }
    last = now;
  }
  return last;
}

/** True while the user types Python in a cell that cannot run as it stands. */
function isTypingPython(panel: NotebookPanel): boolean {
  const { content } = panel;
  const cell = panel.isDisposed ? null : content.activeCell?.model;
  return (
    cell?.type === 'code' &&
    content.mode === 'edit' &&
    /^i?python/.test(content.codeMimetype.replace(/^text\/x-/, '')) &&
    syntaxErrorAt(cell.sharedModel.getSource()) !== null
  );
}
