import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { TargetPlan } from '../../../notebook/plan';
import type { RefineStart } from '../../../tokens';
import { ensureLinkedTarget } from '../cells/notebookEdits';
import type { FollowedTarget, TargetFollower } from './targetFollower';

/** A target that can be worked on. */
export type PlannedTarget = FollowedTarget & { readonly plan: TargetPlan };

/** The open notebook of a path; the active one of several. */
export function panelAt(
  tracker: INotebookTracker,
  path: string
): NotebookPanel | undefined {
  const isNamed = ({ context }: NotebookPanel) => context.path === path;
  const { currentWidget } = tracker;
  return currentWidget && isNamed(currentWidget)
    ? currentWidget
    : tracker.find(isNamed);
}

/**
 * The target to work on, read from the notebook as it is now: of the active
 * cell, or of the named one. The target of a lone `%%refine` cell is created.
 */
export function plannedTarget(
  follower: TargetFollower,
  tracker: INotebookTracker,
  trans: TranslationBundle,
  start?: RefineStart
): PlannedTarget | { readonly refused: string } {
  follower.refresh();
  let followed = follower.current;
  if (start) {
    const panel = panelAt(tracker, start.path);
    followed = panel ? follower.read(panel, start.cellId) : null;
  }
  if (followed?.promptCell && followed.panel.content.model) {
    const cellId = ensureLinkedTarget(
      followed.panel.content.model,
      followed.promptCell
    );
    followed = cellId ? follower.read(followed.panel, cellId) : null;
  }
  if (followed?.plan) {
    return { ...followed, plan: followed.plan };
  }
  return {
    refused:
      followed?.view.refused ??
      trans.__('Open a notebook and select a code cell.')
  };
}
