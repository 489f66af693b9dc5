import type { TranslationBundle } from '@jupyterlab/translation';
import type { CellMarks } from '../../decorations/decorations';
import { cellBadges } from './cellBadges';
import type { NotebookSession } from '../session/session';

/** What a notebook wears because of its latest session; nothing once the old source is back. */
export function marksOf(
  session: NotebookSession | null,
  trans: TranslationBundle
): CellMarks {
  const state =
    session?.acceptance.state?.status === 'restored' && !session.isRunning
      ? null
      : session?.state;
  return {
    working: session?.isRunning ? session.cellId : null,
    badges: state
      ? cellBadges(state, trans, id => session?.standing.of(id) ?? null)
      : new Map()
  };
}
