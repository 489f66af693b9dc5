/** Which cells above a target go to the model. */
import { CONTEXT_CHARACTERS } from '../../core/settings';
import type { ContextCell, RefineRequest } from '../../core/domain/request';
import { isBlankSource } from '../../core/python/cell';
import { analyse } from '../python/analysis';
import type { NotebookCell } from './cells';
import { holdsHiddenData, visibleSource } from './hidden';
import { perNotebook } from './perNotebook';
import { namesInPrompt } from './names';
import { notebookStructure } from './structure';
import { maskSecrets } from '../secrets';
import type { TargetPlan } from '../plan';

/** Binds names that are not seen. */
const MAY_BIND = /\bimport\s*\*|^\s*%(?:run|load)\b/m;

/**
 * Sources of the cells above that the target needs, nearest first. The first that does
 * not fit is cut after its last line that does; those above it are left out. Never
 * outputs, checks, scorers, hidden tests or cells of hidden data, which may hold its values.
 *
 * @param budget - characters.
 * @returns the cells in notebook order; the notes say what was masked.
 */
export function chooseContext(
  cells: readonly NotebookCell[],
  plan: Pick<TargetPlan, 'target' | 'prompt' | 'promptCells' | 'assertions'>,
  language: string,
  budget = CONTEXT_CHARACTERS
): Pick<RefineRequest['context'], 'cells' | 'cellsLeftOut' | 'notes'> {
  const needed = neededCells(cells, plan, language);
  const chosen: ContextCell[] = [];
  const notes: string[] = [];
  let left = budget;
  for (const { id: cellId, index, source, isCode } of [...needed].reverse()) {
    const { text, count } = maskSecrets(source);
    const cut = text.length > left;
    const end = cut ? text.lastIndexOf('\n', left) : text.length;
    const fitting = text.slice(0, Math.max(0, end));
    if (!fitting.trim()) {
      break;
    }
    const kind = isCode ? 'code' : 'markdown';
    chosen.unshift({ cellId, index, kind, source: fitting, cut });
    if (count > 0) {
      notes.unshift(
        `${count} literal${count > 1 ? 's' : ''} in cell ${index} [${cellId}] masked: looks like a secret.`
      );
    }
    if (cut) {
      break;
    }
    left -= fitting.length;
  }
  const cellsLeftOut = needed.length - chosen.length;
  return { cells: chosen, cellsLeftOut, notes };
}

type Shown = ReturnType<typeof shownCells>[number];

/** What of a notebook may be sent for any target, checks left out. */
const shownCells = perNotebook((cells, language) => {
  const { checks } = notebookStructure(cells, language);
  return cells.flatMap((cell, index) => {
    const source =
      checks.has(index) || holdsHiddenData(cell) ? '' : visibleSource(cell);
    const names = analyse(source, language);
    const isCode = cell.type === 'code';
    // Comments alone are the prompt of another target.
    return source.trim() === '' || (isCode && isBlankSource(source, language))
      ? []
      : [
          {
            ...names,
            id: cell.id,
            index,
            source,
            isCode,
            /** Imports, or binds names that are not seen. */
            isImport: names.imports.size > 0 || MAY_BIND.test(source)
          }
        ];
  });
});

/**
 * Positions of the cells above whose names the target's prompt, source or checks
 * read, of those that these need in turn, of imports, and of the text of the
 * target's own section: a small model copies what it is shown beside them
 * (docs/benchmarks.md). All code where no name says what is needed.
 */
function neededCells(
  cells: readonly NotebookCell[],
  {
    target,
    prompt,
    promptCells,
    assertions
  }: Parameters<typeof chooseContext>[1],
  language: string
): readonly Shown[] {
  const shown = shownCells(cells, language).filter(
    ({ id, index }) => index < target.index && !promptCells.includes(id)
  );
  const code = shown.filter(({ isCode }) => isCode);
  const names = new Set([
    ...namesInPrompt(prompt),
    ...[target, ...assertions].flatMap(({ source }) => [
      ...analyse(source, language).reads
    ])
  ]);
  const needed = new Set<Shown>();
  // Again until a round finds no more: a function may read what is bound below it.
  for (let before = -1; before < needed.size;) {
    before = needed.size;
    for (const cell of code) {
      const { binds, imports, reads } = cell;
      if ([...binds].some(name => names.has(name) && !imports.has(name))) {
        needed.add(cell);
        reads.forEach(name => names.add(name));
      }
    }
  }
  const text = ownText(shown, cells, target.index, language).filter(
    ({ source }) => !prompt.includes(source.trim())
  );
  return shown.filter(
    cell =>
      text.includes(cell) ||
      (cell.isCode && (needed.size === 0 || needed.has(cell) || cell.isImport))
  );
}

/** Text up to the heading or check before the target. */
function ownText(
  shown: readonly Shown[],
  cells: readonly NotebookCell[],
  target: number,
  language: string
): readonly Shown[] {
  const checks = [...notebookStructure(cells, language).checks.keys()];
  const after = Math.max(-1, ...checks.filter(index => index < target));
  const text = shown.filter(({ isCode, index }) => !isCode && index >= after);
  const heading = text.findLastIndex(({ source }) => /^#{1,6} /m.test(source));
  return text.slice(Math.max(0, heading));
}
