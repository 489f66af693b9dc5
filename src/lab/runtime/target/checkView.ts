import type { TranslationBundle } from '@jupyterlab/translation';
import type { PlannedCheck, TagProblem } from '../../../notebook/checkPlan';
import type { NotebookCell } from '../../../notebook/structure/cells';
import type { CheckView } from '../../../tokens';
import { cellLabel } from '../words';

/** A check of a target as the panel lists it. */
export function checkView(
  { cellId, role, statements, names, tagged, problem }: PlannedCheck,
  cells: readonly NotebookCell[],
  trans: TranslationBundle
): CheckView {
  return {
    cellId,
    label: cellLabel(cells, cellId, trans),
    role,
    statements,
    names,
    tagged,
    problem: problem === null ? null : tagProblemSentence(problem, trans)
  };
}

/** Why a tagged cell checks nothing, and what to do. */
export function tagProblemSentence(
  problem: TagProblem,
  trans: TranslationBundle
): string {
  switch (problem) {
    case 'no-check':
      return trans.__(
        'Tagged as a check, but it asserts nothing. Add an assert statement, or remove the tag.'
      );
    case 'no-score':
      return trans.__(
        'Tagged as a scorer, but it does not define score(ns). Define it, or remove the tag.'
      );
    case 'second-scorer':
      return trans.__(
        'A cell has one scorer, and another one is tagged above. Remove one of the tags.'
      );
    case 'no-target':
      return trans.__(
        'Tagged as a check, but no code cell above can be its target. Move it below one, or remove the tag.'
      );
    case 'not-code':
      return trans.__(
        'Tagged as a check, but only code cells can check. Make it a code cell, or remove the tag.'
      );
  }
}
