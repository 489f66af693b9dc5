/** The names that are a target's own results: what an earlier run of it left there is no one else's value. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import { boundElsewhere } from './whole/boundNames';
import type { NotebookCell } from './cells';

/**
 * Names that the checks read and no cell but the target binds. Where another
 * cell may bind names unseen, only those that the target's source binds now.
 *
 * @param checks - sources of assertions, hold-outs and scorer.
 */
export function ownNames(
  cells: readonly NotebookCell[],
  target: Target,
  checks: readonly { readonly source: string }[],
  language: string
): readonly string[] {
  const others = boundElsewhere(cells, [target.cellId], language);
  const own = others.mayBindUnseen
    ? analyse(target.source, language).binds
    : null;
  const read = new Set(
    checks.flatMap(({ source }) => [...analyse(source, language).reads])
  );
  return [...read].filter(
    name => !others.binds(name) && (own === null || own.has(name))
  );
}
