/** Which cell checks which: the contract's rules over a whole notebook. */
import { analyse } from '../python/analysis';
import {
  cellAt,
  CellTags,
  hasTag,
  refineMetadata,
  type NotebookCell
} from './cells';
import { perNotebook } from './whole/perNotebook';
import { positionOf, positionOfId } from './whole/positions';
import {
  isGradedTest,
  isLocked,
  isLockedByNbgrader,
  isMagicCell,
  isSolution,
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
 * cell does, since it is a target waiting to be written. Locked cells between
 * a target and its checks, such as helpers of the checks, run with them.
 *
 * @param anyway - also what is left out because only tagged cells are wanted.
 */
export function notebookStructure(
  cells: readonly NotebookCell[],
  language: string,
  anyway = false
): NotebookStructure {
  return anyway ? structureAnyway(cells, language) : structure(cells, language);
}

const structure = perNotebook((cells, language) =>
  structureAnew(cells, language, false)
);
const structureAnyway = perNotebook((cells, language) =>
  structureAnew(cells, language, true)
);

type PositionedCheck = readonly [index: number, place: CheckPlace];

/** The checks of one target, in notebook order. */
export function checksOfTarget(
  found: NotebookStructure,
  target: number
): readonly PositionedCheck[] {
  let known = byTarget.get(found);
  if (!known) {
    known = new Map<number | null, PositionedCheck[]>();
    byTarget.set(found, known);
    for (const check of [...found].sort(([a], [b]) => a - b)) {
      const same = known.get(check[1].target);
      if (same) {
        same.push(check);
      } else {
        known.set(check[1].target, [check]);
      }
    }
  }
  return known.get(target) ?? [];
}

const byTarget = new WeakMap<
  NotebookStructure,
  Map<number | null, PositionedCheck[]>
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
    if (prose !== null && analyse(cell.source, language).looksLikeCheck) {
      imply(index, prose);
    }
  });
  const implyRun = (start: number) => {
    const { run, end } = unmarkedRun(cells, start, linked, language);
    for (const check of run) {
      const target = readOnlyTarget(cells, start, check, language) ?? start;
      imply(check, explicitTarget(cells, check) ?? target);
    }
    return end;
  };
  cells.forEach((cell, index) => {
    if (!places.has(index) && canBeTarget(cell)) {
      implyRun(index);
    }
  });
  let end = 0;
  cells.forEach((cell, index) => {
    if (index >= end && isReadOnly(cell)) {
      end = implyRun(index);
    }
  });
  addHelpers(cells, places, language);
  return places;
}

/** Add locked cells without checks, between a target and the last of its checks, as checks that only set up. */
function addHelpers(
  cells: readonly NotebookCell[],
  places: Map<number, CheckPlace>,
  language: string
): void {
  const lastCheck = new Map<number, number>();
  for (const [check, { target }] of places) {
    if (target !== null) {
      lastCheck.set(target, Math.max(check, lastCheck.get(target) ?? check));
    }
  }
  const open: { readonly target: number; readonly last: number }[] = [];
  cells.forEach((cell, index) => {
    while (open.length > 0 && (open.at(-1)?.last ?? 0) < index) {
      open.pop();
    }
    const target = open.at(-1)?.target;
    if (
      target !== undefined &&
      !places.has(index) &&
      isHelper(cell, language)
    ) {
      places.set(index, { role: 'assertion', marked: false, target });
    }
    const last = lastCheck.get(index);
    if (last !== undefined) {
      open.push({ target: index, last });
    }
  });
}

function isHelper(cell: NotebookCell, language: string): boolean {
  const { statements, checks } = analyse(cell.source, language);
  return (
    cell.type === 'code' &&
    isLocked(cell) &&
    !isMagicCell(cell) &&
    !hasTag(cell, CellTags.skip) &&
    statements.length > 0 &&
    checks === 0
  );
}

/** Code that the notebook, not nbgrader, marks as not editable: checks below it may still be about it. */
function isReadOnly(cell: NotebookCell): boolean {
  return (
    cell.type === 'code' &&
    isLocked(cell) &&
    !isLockedByNbgrader(cell) &&
    !isMagicCell(cell) &&
    !markedRole(cell)
  );
}

/** The nearest read-only cell below `target` that binds what a check reads, where `target` does not. */
function readOnlyTarget(
  cells: readonly NotebookCell[],
  target: number | null,
  check: number,
  language: string
): number | null {
  const index = readOnlyAbove(cells, language)[check] ?? null;
  if (index === null || target === null) {
    return index;
  }
  const binds = (one: number) =>
    bindsWhatIsRead(cellAt(cells, one), cellAt(cells, check), language);
  return index > target && binds(index) && !binds(target) ? index : null;
}

/** For each position, that of the nearest read-only cell above it that is not a check. */
const readOnlyAbove = perNotebook((cells, language) => {
  let last: number | null = null;
  return cells.map((cell, index) => {
    const above = last;
    const isWork =
      isReadOnly(cell) && !analyse(cell.source, language).looksLikeCheck;
    last = isWork ? index : last;
    return above;
  });
});

/** Code that may be refined as far as its neighbours are concerned. */
function canBeTarget(cell: NotebookCell): boolean {
  return cell.type === 'code' && !isLocked(cell) && !isMagicCell(cell);
}

function unmarkedRun(
  cells: readonly NotebookCell[],
  target: number,
  linked: ReadonlySet<number | null>,
  language: string
): { readonly run: readonly number[]; readonly end: number } {
  const run: number[] = [];
  let index = target + 1;
  for (; index < cells.length; index++) {
    const cell = cellAt(cells, index);
    const { looksLikeCheck } = analyse(cell.source, language);
    if (
      cell.type !== 'code' ||
      markedRole(cell) ||
      (isLocked(cell) && !looksLikeCheck)
    ) {
      continue;
    }
    if (
      isMagicCell(cell) ||
      linked.has(index) ||
      isPromptedTarget(cells, cell) ||
      !looksLikeCheck
    ) {
      break;
    }
    if (proseOf(cells, index, language) === null) {
      run.push(index);
    }
  }
  return { run, end: index };
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
  const unlocked = unlockedTarget(cells, check, language);
  return readOnlyTarget(cells, unlocked, check, language) ?? unlocked;
}

function unlockedTarget(
  cells: readonly NotebookCell[],
  check: number,
  language: string
): number | null {
  let lookAlike: number | null = null;
  // A student's own cell, if nbgrader's solution is above it.
  let empty: number | null = null;
  const above = unmarkedAbove(cells, '');
  for (
    let index = above[check] ?? null;
    index !== null;
    index = above[index] ?? null
  ) {
    const cell = cellAt(cells, index);
    if (
      !analyse(cell.source, language).looksLikeCheck ||
      isPromptedTarget(cells, cell) ||
      bindsWhatIsRead(cell, cellAt(cells, check), language)
    ) {
      if (isEmpty(cell, language) && !isSolution(cell)) {
        empty ??= index;
        continue;
      }
      return isSolution(cell) ? index : (empty ?? index);
    }
    lookAlike ??= index;
  }
  return empty ?? lookAlike;
}

/** For each position, that of the nearest cell above it that may be a target and is not a marked check. */
const unmarkedAbove = perNotebook(cells => {
  let last: number | null = null;
  return cells.map((cell, index) => {
    const above = last;
    last = canBeTarget(cell) && !markedRole(cell) ? index : last;
    return above;
  });
});

function isEmpty(cell: NotebookCell, language: string): boolean {
  return analyse(cell.source, language).statements.length === 0;
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
  if (checking.type !== 'code' || !checking.source.includes('response')) {
    return null;
  }
  const { reads, binds } = analyse(checking.source, language);
  const reading =
    reads.has('response') ||
    (markedRole(checking) === 'scorer' && NAMED_RESPONSE.test(checking.source));
  if (!reading || binds.has('response')) {
    return null;
  }
  return proseAbove(cells, language)[check] ?? null;
}

/** For each position, that of the nearest prose above it; null where code in between binds `response`. */
const proseAbove = perNotebook((cells, language) => {
  let last: number | null = null;
  return cells.map((cell, index) => {
    const above = last;
    if (cell.type === 'markdown' && !isLocked(cell)) {
      last = index;
    } else if (
      cell.type === 'code' &&
      cell.source.includes('response') &&
      analyse(cell.source, language).binds.has('response')
    ) {
      last = null;
    }
    return above;
  });
});

function explicitTarget(
  cells: readonly NotebookCell[],
  check: number
): number | null {
  const id = refineMetadata(cellAt(cells, check))['target'];
  const index = positionOfId(cells, id);
  return index === check ? null : index;
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
  const index = id === undefined ? null : positionOfId(cells, id);
  if (index !== null && isMagicCell(cellAt(cells, index))) {
    return index;
  }
  const own = cell.type === 'markdown' ? positionOf(cells, cell) : null;
  const above = own === null ? undefined : cells[own - 1];
  return above && isMagicCell(above) && !linkedPrompts(cells, '').has(above.id)
    ? positionOf(cells, above)
    : null;
}

/** Ids of cells that another cell names as its prompt. */
const linkedPrompts = perNotebook(
  (cells): ReadonlySet<unknown> =>
    new Set(cells.map(cell => refineMetadata(cell)['promptCell']))
);
