import type { TranslationBundle } from '@jupyterlab/translation';
import type { RunningSession } from '../../../tokens';
import type { Badge, CellMarks } from '../../decorations/decorations';
import { cellBadges } from './cellBadges';
import type { NotebookSession } from '../session/session';

/**
 * What a notebook wears because of its latest session; nothing once the old source is back.
 *
 * @param running - what runs and what waits in the notebook.
 */
export function marksOf(
  session: NotebookSession | null,
  running: readonly RunningSession[],
  trans: TranslationBundle
): CellMarks {
  const state =
    session?.acceptance.state?.status === 'restored' && !session.isRunning
      ? null
      : session?.state;
  return {
    working: session?.isRunning ? session.cellId : null,
    badges: new Map([
      ...(state
        ? cellBadges(state, trans, id => session?.standing.of(id) ?? null)
        : []),
      ...running.flatMap(({ cellId, waitsFor }): [string, Badge][] =>
        waitsFor === null ? [] : [[cellId, waitingBadge(waitsFor, trans)]]
      )
    ])
  };
}

function waitingBadge(waitsFor: string, trans: TranslationBundle): Badge {
  const text = trans.__('waits for %1', waitsFor);
  return {
    kind: 'stale',
    text,
    label: trans.__('Refine starts when the session of %1 ends', waitsFor)
  };
}
