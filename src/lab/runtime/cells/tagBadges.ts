import type { TranslationBundle } from '@jupyterlab/translation';
import { tagProblems } from '../../../notebook/checkPlan';
import {
  CellTags,
  hasTag,
  type NotebookCell
} from '../../../notebook/structure/cells';
import type { Badge } from '../../decorations/decorations';
import { tagProblemSentence } from '../target/checkView';

/** A quiet badge with the role of each tagged cell; of one that checks nothing, that, and in its tooltip why. */
export function tagBadges(
  cells: readonly NotebookCell[],
  language: string,
  trans: TranslationBundle
): ReadonlyMap<string, Badge> {
  const problems = tagProblems(cells, language);
  return new Map(
    cells.flatMap((cell, index): [string, Badge][] => {
      const problem = problems.get(index);
      const badge =
        problem === undefined
          ? roleBadge(cell, trans)
          : {
              text: trans.__('checks nothing'),
              label: tagProblemSentence(problem, trans)
            };
      return badge === null ? [] : [[cell.id, { kind: 'stale', ...badge }]];
    })
  );
}

function roleBadge(
  cell: NotebookCell,
  trans: TranslationBundle
): Pick<Badge, 'text' | 'label'> | null {
  if (hasTag(cell, CellTags.holdout)) {
    return {
      text: trans.__('held out'),
      label: trans.__('Held out: no model and no attempt sees this check.')
    };
  }
  if (hasTag(cell, CellTags.scorer)) {
    return {
      text: trans.__('scorer'),
      label: trans.__('Scorer: measures each attempt that passes its checks.')
    };
  }
  return hasTag(cell, CellTags.assertion)
    ? {
        text: trans.__('check'),
        label: trans.__('Check: tagged as an assertion of a cell above.')
      }
    : null;
}
