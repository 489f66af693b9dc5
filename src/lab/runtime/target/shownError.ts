/** What of a cell's error may reach a model. */
import type { ICellModel } from '@jupyterlab/cells';
import type { TargetPlan } from '../../../notebook/plan';
import { analyse } from '../../../notebook/python/analysis';
import type { ErrorOutput } from '../../../notebook/repair';
import { requestChecks } from '../../../notebook/request';
import { maskSecrets } from '../../../notebook/secrets';
import { markedRole } from '../../../notebook/structure/roles';
import { errorOutput } from '../../errorOutput';
import type { FollowedTarget } from './targetFollower';

/** The error that a cell shows, without what looks like a secret; null when it shows none. */
export function shownError(cell: ICellModel): ErrorOutput | null {
  const error = errorOutput(cell);
  return (
    error && {
      name: error.name,
      message: maskSecrets(error.message).text,
      traceback: maskSecrets(error.traceback).text
    }
  );
}

/**
 * True for a hold-out, and for a cell whose error may quote what no model sees: it names that itself, or the
 * traceback passes through a function that does.
 */
export function isHidden(
  { cells, language }: Pick<FollowedTarget, 'cells' | 'language'>,
  plan: TargetPlan,
  cellId: string,
  error: ErrorOutput
): boolean {
  const cell = cells.find(({ id }) => id === cellId);
  if (!cell || plan.holdouts.some(holdout => holdout.cellId === cellId)) {
    return true;
  }
  const { hiddenNames = [], hiddenData = [] } = requestChecks(
    cells,
    plan,
    language
  );
  const { reads, binds } = analyse(cell.source, language);
  const quoted = new Set(error.traceback.match(/[\p{L}\p{N}_]+/gu) ?? []);
  return (
    markedRole(cell) === 'holdout' ||
    [...hiddenNames, ...hiddenData].some(
      name => reads.has(name) || binds.has(name) || quoted.has(name)
    )
  );
}
