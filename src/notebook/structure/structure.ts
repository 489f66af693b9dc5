/** Which cell checks which: the contract's rules over a whole notebook. */
import { analyse, looksLikeCheck } from '../python/analysis';
import { cellAt, refineMetadata, type NotebookCell } from './cells';
import {
  isGradedTest,
  isLocked,
  isMagicCell,
  markedRole,
  wantsOnlyTagged,
  type MarkedRole
} from './roles';

/** A cell that checks; `target` is the position of what it checks, null when nothing fits. */
export type CheckPlace = {
  readonly role: MarkedRole;
  readonly marked: boolean;
  readonly target: number | null;
};

/** The checks of a notebook by their position. */
export type NotebookStructure = ReadonlyMap<number, CheckPlace>;

/**
 * Marked checks, and for each target the run of code cells below it that look
 * like assertions. Such cells are left out where the target's author wants only
 * tagged ones, and where nbgrader says what is graded. Text between them does
 * not end a run, since nothing else could be what they check; an empty code
 * cell does, since it is a target waiting to be written.
 *
 * @param anyway - also what is left out because only tagged cells are wanted.
 */
export function notebookStructure(
  cells: readonly NotebookCell[],
  language: string,
  anyway = false
): NotebookStructure {
  const known = remembered.get(cells) ?? new Map<string, NotebookStructure>();
  remembered.set(cells, known);
  const key = `${language} ${anyway}`;
  const structure = known.get(key) ?? structureAnew(cells, language, anyway);
  known.set(key, structure);
  return structure;
}

/** Asked for again for each target of a notebook; cells never change, a changed notebook has others. */
const remembered = new WeakMap<
  readonly NotebookCell[],
  Map<string, NotebookStructure>
>();

function structureAnew(
  cells: readonly NotebookCell[],
  language: string,
  anyway: boolean
): NotebookStructure {
  const places = new Map<number, CheckPlace>();
  cells.forEach((cell, index) => {
    const role = markedRole(cell);
    if (role) {
      const target = targetOfCheck(cells, index, language);
      places.set(index, { role, marked: true, target });
    }
  });
  const linked = new Set([...places.values()].map(place => place.target));
  const graded = new Set(
    [...places]
      .filter(([index]) => isGradedTest(cellAt(cells, index)))
      .map(([, place]) => place.target)
  );
  const imply = (check: number, target: number) => {
    if (
      !places.has(check) &&
      !graded.has(target) &&
      (anyway || !wantsOnlyTagged(cellAt(cells, target)))
    ) {
      places.set(check, { role: 'assertion', marked: false, target });
    }
  };
  cells.forEach((cell, index) => {
    const prose = proseOf(cells, index, language);
    if (prose !== null && looksLikeCheck(cell.source, language)) {
      imply(index, prose);
    }
  });
  cells.forEach((cell, index) => {
    if (!places.has(index) && canBeTarget(cell)) {
      for (const check of unmarkedRun(cells, index, linked, language)) {
        imply(check, explicitTarget(cells, check) ?? index);
      }
    }
  });
  return places;
}

/** Code that may be refined as far as its neighbours are concerned. */
function canBeTarget(cell: NotebookCell): boolean {
  return cell.type === 'code' && !isLocked(cell) && !isMagicCell(cell);
}

function unmarkedRun(
  cells: readonly NotebookCell[],
  target: number,
  linked: ReadonlySet<number | null>,
  language: string
): readonly number[] {
  const run: number[] = [];
  for (let index = target + 1; index < cells.length; index++) {
    const cell = cellAt(cells, index);
    if (cell.type !== 'code' || markedRole(cell) || isLocked(cell)) {
      continue;
    }
    if (
      isMagicCell(cell) ||
      linked.has(index) ||
      isPromptedTarget(cells, cell) ||
      !looksLikeCheck(cell.source, language)
    ) {
      break;
    }
    if (proseOf(cells, index, language) === null) {
      run.push(index);
    }
  }
  return run;
}

/** The target of a marked check: its link, else the nearest cell above that fits. */
function targetOfCheck(
  cells: readonly NotebookCell[],
  check: number,
  language: string
): number | null {
  const explicit = explicitTarget(cells, check);
  if (explicit !== null) {
    return explicit;
  }
  const prose = proseOf(cells, check, language);
  if (prose !== null) {
    return prose;
  }
  let lookAlike: number | null = null;
  for (let index = check - 1; index >= 0; index--) {
    const cell = cellAt(cells, index);
    if (!canBeTarget(cell) || markedRole(cell)) {
      continue;
    }
    if (
      !looksLikeCheck(cell.source, language) ||
      isPromptedTarget(cells, cell) ||
      bindsWhatIsRead(cell, cellAt(cells, check), language)
    ) {
      return index;
    }
    lookAlike ??= index;
  }
  return lookAlike;
}

/** Work that ends with an assertion is not a check: its results are checked below. */
function bindsWhatIsRead(
  cell: NotebookCell,
  check: NotebookCell,
  language: string
): boolean {
  const { binds, imports } = analyse(cell.source, language);
  const needed = analyse(check.source, language);
  return [...binds].some(
    name =>
      !imports.has(name) && needed.reads.has(name) && !needed.binds.has(name)
  );
}

/** How `score(ns)` reads prose: `ns["response"]`, `ns.get('response')`. */
const NAMED_RESPONSE = /[[(]\s*(["'])response\1\s*[\],)]/;

/** The markdown cell above a check that reads `response`, the prose under check. */
function proseOf(
  cells: readonly NotebookCell[],
  check: number,
  language: string
): number | null {
  const checking = cellAt(cells, check);
  if (checking.type !== 'code') {
    return null;
  }
  const { reads, binds } = analyse(checking.source, language);
  const reading =
    reads.has('response') ||
    (markedRole(checking) === 'scorer' && NAMED_RESPONSE.test(checking.source));
  if (!reading || binds.has('response')) {
    return null;
  }
  for (let index = check - 1; index >= 0; index--) {
    const cell = cellAt(cells, index);
    if (cell.type === 'markdown' && !isLocked(cell)) {
      return index;
    }
    if (
      cell.type === 'code' &&
      analyse(cell.source, language).binds.has('response')
    ) {
      return null;
    }
  }
  return null;
}

function explicitTarget(
  cells: readonly NotebookCell[],
  check: number
): number | null {
  const id = refineMetadata(cellAt(cells, check))['target'];
  const index = cells.findIndex(cell => cell.id === id);
  return index >= 0 && index !== check ? index : null;
}

function isPromptedTarget(
  cells: readonly NotebookCell[],
  cell: NotebookCell
): boolean {
  return promptCellOf(cells, cell) !== null;
}

/** Position of the `%%refine` cell that a code cell is linked to, or that stands right above a text and is linked to no cell. */
export function promptCellOf(
  cells: readonly NotebookCell[],
  cell: NotebookCell
): number | null {
  const id = refineMetadata(cell)['promptCell'];
  const index =
    id === undefined ? -1 : cells.findIndex(other => other.id === id);
  if (index >= 0 && isMagicCell(cellAt(cells, index))) {
    return index;
  }
  const above =
    cell.type === 'markdown' ? cells[cells.indexOf(cell) - 1] : undefined;
  return above &&
    isMagicCell(above) &&
    !cells.some(other => refineMetadata(other)['promptCell'] === above.id)
    ? cells.indexOf(above)
    : null;
}
