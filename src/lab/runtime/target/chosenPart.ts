/** From what the user selected in a cell to the lines that a session refines. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { definitionAt, wholeStatements } from '../../../core/part/definitionAt';
import { frameOf, trimmedPart, type Part } from '../../../core/part/part';
import type { RefineStart } from '../../../tokens';
import type { PlannedTarget } from './plannedTarget';

/** Lines of the target, and the source that they were chosen in. */
export type ChosenPart = { readonly part: Part; readonly source: string };

/** The chosen lines; null where all of the target is chosen; why none can be refined. */
export function chosenPart(
  { plan, view, language }: PlannedTarget,
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
  const chosen =
    'around' in choice
      ? definitionAt(source, choice.around, language)
      : trimmedPart(source, choice);
  if (!chosen) {
    return {
      refused: trans.__(
        'Select the lines to refine, or put the cursor in a function or class.'
      )
    };
  }
  const part = wholeStatements(source, chosen, language);
  const { before, after } = frameOf(source, part);
  return (before + after).trim() === '' ? null : { part, source };
}
