/** Which names the code cells of a notebook bind, without some of the cells. */
import { analyse } from '../../python/analysis';
import { cellAt, type NotebookCell } from '../cells';
import { perNotebook } from './perNotebook';
import { positionsOfId } from './positions';

type Cells = readonly NotebookCell[];

/** What binds names that no analysis sees. */
const UNSEEN =
  /\bimport\s*\*|^\s*[%!]|=\s*[%!]|\b(?:exec|globals|vars|locals|get_ipython)\s*\(/m;

/** Whether a source may bind names that no analysis sees. */
export function mayBindUnseen(source: string): boolean {
  return UNSEEN.test(source);
}

/** How many code cells bind each name, and how many may bind names unseen. */
const bindings = perNotebook((cells, language) => {
  const count = new Map<string, number>();
  let unseen = 0;
  for (const { type, source } of cells) {
    if (type === 'code') {
      for (const name of analyse(source, language).binds) {
        count.set(name, (count.get(name) ?? 0) + 1);
      }
      unseen += mayBindUnseen(source) ? 1 : 0;
    }
  }
  return { count, unseen };
});

/** What the code cells bind, without those with the ids in `without`. */
export function boundElsewhere(
  cells: Cells,
  without: Iterable<string>,
  language: string
): {
  readonly binds: (name: string) => boolean;
  /** Whether one of them may bind names that no analysis sees. */
  readonly mayBindUnseen: boolean;
} {
  const { count, unseen } = bindings(cells, language);
  const out = [...new Set(without)]
    .flatMap(id => positionsOfId(cells, id))
    .map(index => cellAt(cells, index))
    .filter(({ type }) => type === 'code')
    .map(({ source }) => source);
  const own = out.map(source => analyse(source, language).binds);
  return {
    binds: name =>
      (count.get(name) ?? 0) > own.filter(binds => binds.has(name)).length,
    mayBindUnseen: unseen > out.filter(mayBindUnseen).length
  };
}
