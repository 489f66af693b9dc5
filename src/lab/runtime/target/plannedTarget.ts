/** What the user wants to work on: a target, or lines of it. */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { frameOf, trimmedPart, type Part } from '../../../core/part/part';
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
 * The target to work on, or to check, read from the notebook as it is now: of the active
 * cell, or of the named one. The target of a lone `%%refine` cell is created.
 */
export function plannedTarget(
  follower: TargetFollower,
  tracker: INotebookTracker,
  trans: TranslationBundle,
  start?: RefineStart,
  isCheck = false
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
  const plan = isCheck ? followed?.checkPlan : followed?.plan;
  if (followed && plan) {
    return { ...followed, plan };
  }
  return {
    refused:
      followed?.view.refused ??
      trans.__('Open a notebook and select a code cell.')
  };
}

/** Lines of the target, and the source that they were chosen in. */
export type ChosenPart = { readonly part: Part; readonly source: string };

/** The chosen lines; null where all of the target is chosen; why none can be refined. */
export function chosenPart(
  { plan, view }: PlannedTarget,
  { cellId, part: choice }: RefineStart,
  trans: TranslationBundle
): ChosenPart | null | { readonly refused: string } {
  if (!choice) {
    return null;
  }
  const { source, kind } = plan.target;
  if (cellId !== plan.target.cellId || kind !== 'code') {
    return {
      refused: trans.__(
        'Select lines in %1: the code cell that is refined.',
        view.label
      )
    };
  }
  const part = trimmedPart(source, choice);
  if (!part) {
    return { refused: trans.__('Select the lines to refine.') };
  }
  const { before, after } = frameOf(source, part);
  return (before + after).trim() === '' ? null : { part, source };
}
