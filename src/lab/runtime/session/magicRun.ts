import { fingerprint } from '../../../notebook/fingerprint';
import { findCell, setOwnMetadata } from '../cells/notebookEdits';
import type { NotebookSessions } from './notebookSessions';
import type { PlannedTarget } from '../target/plannedTarget';
import type { TargetFollower } from '../target/targetFollower';

/** After a session of a `%%refine` cell's target: running the unchanged cell again does nothing. */
export function rememberRun(
  { panel, plan }: PlannedTarget,
  follower: TargetFollower,
  sessions: NotebookSessions
): void {
  const { cellId } = plan.target;
  const ended = sessions.find(panel, cellId)?.state?.outcome;
  const cell = panel.isDisposed ? null : findCell(panel.content.model, cellId);
  if (cell && ended && plan.promptOrigin === 'magic') {
    const now = follower.read(panel, cellId)?.plan;
    setOwnMetadata(cell, 'fingerprint', now ? fingerprint(now) : undefined);
  }
}
