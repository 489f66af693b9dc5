/** Which cell checks which: the contract's rules over a whole notebook, see docs/checks.md. */
import { analyse, onlySetsUp } from '../python/analysis';
import { Above } from './above';
import {
  cellAt,
  CellTags,
  hasTag,
  refineMetadata,
  type NotebookCell
} from './cells';
import { perNotebook, positionOfId } from './perNotebook';
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
 * Marked checks, and unmarked cells that a person would call tests of a cell
 * above them. The latter are left out where the target's author wants only
 * tagged ones, and where nbgrader says what is graded. Cells between a target
 * and its checks that define what these need run with them.
 */
export const notebookStructure = perNotebook(structureOf);

type PositionedCheck = readonly [index: number, place: CheckPlace];

/** The checks of one target, in notebook order. */
export function checksOfTarget(
  found: NotebookStructure,
  target: number
): readonly PositionedCheck[] {
  return [...found]
    .filter(([, place]) => place.target === target)
    .sort(([a], [b]) => a - b);
}

function structureOf(
  cells: readonly NotebookCell[],
  language: string
): NotebookStructure {
  const places = new Map<number, CheckPlace>();
  const recorded = recordedTargets(cells);
  const works = worksWithChecks(cells, language);
  const linked = new Set(cells.map((_, index) => explicitTarget(cells, index)));
  const above = new Above(language);
  cells.forEach((cell, index) => {
    const role = markedRole(cell);
    const mayCheck =
      cell.type === 'code' &&
      !isMagicCell(cell) &&
      analyse(cell.source, language).isTest &&
      !works.has(index) &&
      !linked.has(index) &&
      promptCellOf(cells, cell) === null &&
      refineMetadata(cell)['result'] === undefined;
    const known =
      role || mayCheck
        ? (explicitTarget(cells, index) ??
          recorded.get(index) ??
          proseOf(cells, index, language))
        : null;
    const target =
      known ?? (role || mayCheck ? above.targetOf(cell, role !== null) : null);
    if (role || target !== null) {
      places.set(index, {
        role: role ?? 'assertion',
        marked: role !== null,
        target
      });
      above.passCheck(cell, index, target);
    } else {
      above.pass(cell, index, promptCellOf(cells, cell) !== null);
    }
  });
  const graded = new Set(
    [...places]
      .filter(([index]) => isGradedTest(cellAt(cells, index)))
      .map(([, place]) => place.target)
  );
  for (const [index, { marked, target }] of places) {
    const isLeftOut =
      graded.has(target) || wantsOnlyTagged(cellAt(cells, target ?? index));
    if (!marked && isLeftOut) {
      places.delete(index);
    }
  }
  addHelpers(cells, places, language);
  return places;
}

/** Cells that look like tests, and whose results cells that are no tests use: work that ends with checks. */
function worksWithChecks(
  cells: readonly NotebookCell[],
  language: string
): ReadonlySet<number> {
  const found = new Set<number>();
  /** By name: the cell that binds it, and whether that looks like a test. */
  const owners = new Map<string, { index: number; isTest: boolean }>();
  cells.forEach((cell, index) => {
    if (cell.type !== 'code') {
      return;
    }
    const { isTest, reads, binds, imports, helpers } = analyse(
      cell.source,
      language
    );
    const marked = markedRole(cell) !== null;
    const used = [...reads].flatMap(name =>
      binds.has(name) ? [] : (owners.get(name) ?? [])
    );
    // A check may use what a test above it has prepared, beside what it checks.
    if (!(marked || isTest) || (marked && used.every(owner => owner.isTest))) {
      used.forEach(owner => owner.isTest && found.add(owner.index));
    }
    for (const name of binds) {
      const keeps = (isTest || marked) && owners.get(name)?.isTest === false;
      if (!keeps && !imports.has(name) && !helpers.has(name)) {
        owners.set(name, { index, isTest: isTest && !marked });
      }
    }
  });
  return found;
}

/** By the position of a check: the accepted cell that it has checked, as its provenance says. */
function recordedTargets(
  cells: readonly NotebookCell[]
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  cells.forEach((cell, index) => {
    const result = refineMetadata(cell)['result'] as
      { readonly checkCells?: unknown } | undefined;
    const ids = result?.checkCells;
    for (const id of Array.isArray(ids) ? ids : []) {
      const check = positionOfId(cells, id);
      if (check !== null && check > index) {
        found.set(check, index);
      }
    }
  });
  return found;
}

/**
 * Add cells between a target and the last of its checks that run with them: locked
 * ones, those that define what the checks use, and those that define what nothing up
 * to the target does although it is used there, as functions do that call later ones.
 */
function addHelpers(
  cells: readonly NotebookCell[],
  places: Map<number, CheckPlace>,
  language: string
): void {
  const namesOf = (index: number) =>
    analyse(cellAt(cells, index).source, language);
  const checks = new Map<number, number[]>();
  for (const [check, { target }] of places) {
    if (target !== null) {
      checks.set(target, [...(checks.get(target) ?? []), check]);
    }
  }
  const read = new Set<string>();
  const bound = new Set<string>();
  const isLate = (name: string) => !bound.has(name);
  cells.forEach(({ type }, target) => {
    if (type === 'code' && !places.has(target)) {
      namesOf(target).reads.forEach(name => read.add(name));
      namesOf(target).binds.forEach(name => bound.add(name));
    }
    const own = checks.get(target) ?? [];
    const uses = new Set([
      ...own.flatMap(check => [...namesOf(check).reads]),
      ...(own.length > 0 ? [...read].filter(isLate) : [])
    ]);
    const between: number[] = [];
    for (let at = target + 1; at < Math.max(...own); at++) {
      if (!places.has(at) && mayHelp(cellAt(cells, at), language)) {
        between.push(at);
      }
    }
    // A helper that is added here may use another one, on either side of it.
    for (let found = 0; found >= 0;) {
      found = between.findIndex(at => helps(cellAt(cells, at), uses, language));
      const [helper] = found < 0 ? [] : between.splice(found, 1);
      if (helper !== undefined && !checks.has(helper)) {
        places.set(helper, { role: 'assertion', marked: false, target });
        [...namesOf(helper).reads].filter(isLate).forEach(n => uses.add(n));
      }
    }
  });
}

/** It is locked, only sets up, or defines one of the names. */
function helps(
  cell: NotebookCell,
  uses: ReadonlySet<string>,
  language: string
): boolean {
  return (
    isLocked(cell) ||
    onlySetsUp(cell.source, language) ||
    [...analyse(cell.source, language).binds].some(name => uses.has(name))
  );
}

function mayHelp(cell: NotebookCell, language: string): boolean {
  const { statements, checks } = analyse(cell.source, language);
  return (
    cell.type === 'code' &&
    !isMagicCell(cell) &&
    !hasTag(cell, CellTags.skip) &&
    (statements.length > 0 || /^\s*%/m.test(cell.source)) &&
    checks === 0
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
  const index = positionOfId(cells, id);
  return index === check ? null : index;
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
  const own = cell.type === 'markdown' ? positionOfId(cells, cell.id) : null;
  const above = own === null ? undefined : cells[own - 1];
  return above &&
    isMagicCell(above) &&
    !cells.some(other => refineMetadata(other)['promptCell'] === above.id)
    ? positionOfId(cells, above.id)
    : null;
}
