/** The names that are a target's own results: what an earlier run of it left there is no one else's value. */
import type { Target } from '../../core/domain/request';
import { analyse } from '../python/analysis';
import type { NotebookCell } from './cells';

/** What binds names that no analysis sees. */
const UNSEEN =
  /\bimport\s*\*|^\s*[%!]|=\s*[%!]|\b(?:exec|globals|vars|locals|get_ipython)\s*\(/m;

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
  const others = cells.filter(
    cell => cell.type === 'code' && cell.id !== target.cellId
  );
  const names = (key: 'reads' | 'binds', from: readonly { source: string }[]) =>
    new Set(from.flatMap(({ source }) => [...analyse(source, language)[key]]));
  const bound = names('binds', others);
  const own = others.some(({ source }) => UNSEEN.test(source))
    ? names('binds', [target])
    : null;
  return [...names('reads', checks)].filter(
    name => !bound.has(name) && (own === null || own.has(name))
  );
}
