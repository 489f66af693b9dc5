/** Which cell checks which: the contract's rules over a whole notebook, see docs/checks.md. */
import { analyse, onlySetsUp, writtenTests } from '../python/analysis';
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
  wantsOnlyTagged
} from './roles';

export type NotebookStructure = {
  /** By position of a check: that of the cell that it checks, null when nothing fits. */
  readonly checks: ReadonlyMap<number, number | null>;
  /** Positions of those that do not count, because others are all that does. */
  readonly leftOut: ReadonlySet<number>;
  /** By position of a target: those of cells below it that run with its checks. */
  readonly helpers: ReadonlyMap<number, readonly number[]>;
};

/**
 * Marked checks, and unmarked cells that a person would call tests of a cell
 * above them. The latter are left out where the target's author wants only
 * tagged ones, and where nbgrader says what is graded. Cells between a target
 * and its checks that define what these need run with them.
 */
export const notebookStructure = perNotebook(
  (cells, language): NotebookStructure => {
    const reader = new StructureReader(cells, language);
    reader.findChecks();
    reader.leaveOut();
    const { targets: checks, leftOut } = reader;
    return { checks, leftOut, helpers: reader.helpers() };
  }
);

/** Positions of the checks of one target and of what runs with them, in notebook order. */
export function checksOfTarget(
  { checks, leftOut, helpers }: NotebookStructure,
  target: number
): readonly number[] {
  return [
    ...[...checks].flatMap(([index, one]) =>
      one === target && !leftOut.has(index) ? [index] : []
    ),
    ...(helpers.get(target) ?? [])
  ].sort((a, b) => a - b);
}

/** How `score(ns)` reads prose: `ns["response"]`, `ns.get('response')`. */
const NAMED_RESPONSE = /[[(]\s*(["'])response\1\s*[\],)]/;

class StructureReader {
  constructor(
    private readonly cells: readonly NotebookCell[],
    private readonly language: string
  ) {}

  readonly targets = new Map<number, number | null>();
  readonly leftOut = new Set<number>();

  findChecks(): void {
    const { cells } = this;
    const recorded = this.recordedTargets();
    const works = this.worksWithChecks();
    const linked = new Set(cells.map((_, index) => this.linkedTarget(index)));
    const above = new Above(this.language);
    cells.forEach((cell, index) => {
      const role = markedRole(cell);
      const isPrompted = promptCellOf(cells, cell) !== null;
      const mayCheck =
        role !== null ||
        (cell.type === 'code' &&
          !isMagicCell(cell) &&
          (this.factsOf(index).isTest || this.handedAt(index).length > 0) &&
          !works.has(index) &&
          !linked.has(index) &&
          !isPrompted &&
          refineMetadata(cell)['result'] === undefined);
      const target = mayCheck
        ? (this.linkedTarget(index) ??
          recorded.get(index) ??
          this.proseOf(index) ??
          above.targetOf(cell, this.handedAt(index)) ??
          (isGradedTest(cell) && this.onlyRuns(index) ? index : null))
        : null;
      if (role || target !== null) {
        this.targets.set(index, target);
        above.passCheck(cell, index, target);
      } else {
        above.pass(cell, index, isPrompted);
      }
    });
  }

  /** Unmarked checks go where others are all that counts. */
  leaveOut(): void {
    const { cells, targets, leftOut } = this;
    const graded = new Set(
      [...targets]
        .filter(([index]) => isGradedTest(cellAt(cells, index)))
        .map(([, target]) => target)
    );
    for (const [index, target] of targets) {
      const isLeftOut =
        graded.has(target) || wantsOnlyTagged(cellAt(cells, target ?? index));
      if (isLeftOut && !markedRole(cellAt(cells, index))) {
        leftOut.add(index);
      }
    }
  }

  /**
   * By target: cells between it and the last of its checks that run with them: locked
   * ones, those that define what the checks use, and those that define what nothing up
   * to the target does although it is used there, as functions do that call later ones.
   */
  helpers(): ReadonlyMap<number, readonly number[]> {
    const { cells, targets, leftOut } = this;
    const helpers = new Map<number, number[]>();
    const checks = new Map<number, number[]>();
    for (const [check, target] of targets) {
      if (target !== null && !leftOut.has(check)) {
        checks.set(target, [...(checks.get(target) ?? []), check]);
      }
    }
    const read = new Set<string>();
    const bound = new Set<string>();
    const isLate = (name: string) => !bound.has(name);
    cells.forEach(({ type }, target) => {
      if (type === 'code' && !targets.has(target)) {
        this.factsOf(target).reads.forEach(name => read.add(name));
        this.factsOf(target).binds.forEach(name => bound.add(name));
      }
      const own = checks.get(target) ?? [];
      const uses = new Set([
        ...own.flatMap(check => [...this.factsOf(check).reads]),
        ...(own.length > 0 ? [...read].filter(isLate) : [])
      ]);
      const between: number[] = [];
      for (let at = target + 1; at < Math.max(...own); at++) {
        if (!targets.has(at) && this.mayHelp(at)) {
          between.push(at);
        }
      }
      // A helper that is added here may use another one, on either side of it.
      for (let found = 0; found >= 0;) {
        found = between.findIndex(at => this.helps(at, uses));
        const [helper] = found < 0 ? [] : between.splice(found, 1);
        if (helper !== undefined && !checks.has(helper)) {
          helpers.set(target, [...(helpers.get(target) ?? []), helper]);
          const { reads } = this.factsOf(helper);
          [...reads].filter(isLate).forEach(name => uses.add(name));
        }
      }
    });
    return helpers;
  }

  /** Functions and classes of cells above that the cell hands to tests. */
  private handedAt(index: number): readonly string[] {
    const { handed, binds } = this.factsOf(index);
    const isAbove = (name: string) =>
      this.cells.some(
        ({ type }, at) =>
          at < index &&
          type === 'code' &&
          this.factsOf(at).defines.includes(name)
      );
    return handed.filter(name => !binds.has(name) && isAbove(name));
  }

  /** It asserts nothing: of a graded test, that it runs is all that gives its points. */
  private onlyRuns(index: number): boolean {
    const { statements, checks } = this.factsOf(index);
    return statements.length > 0 && checks === 0;
  }

  private factsOf(index: number) {
    return analyse(cellAt(this.cells, index).source, this.language);
  }

  /** Cells that look like tests, and whose results cells that are no tests use: work that ends with checks. */
  private worksWithChecks(): ReadonlySet<number> {
    const found = new Set<number>();
    /** By name: the cell that binds it, and whether that looks like a test. */
    const owners = new Map<string, { index: number; isTest: boolean }>();
    this.cells.forEach((cell, index) => {
      if (cell.type !== 'code') {
        return;
      }
      const { isTest, reads, binds, imports, helpers } = this.factsOf(index);
      // What tests a function of a cell above is no work.
      const marked =
        markedRole(cell) !== null || this.handedAt(index).length > 0;
      const used = [...reads].flatMap(name =>
        binds.has(name) ? [] : (owners.get(name) ?? [])
      );
      // A check may use what a test above it has prepared, beside what it checks.
      if (marked ? used.every(owner => owner.isTest) : !isTest) {
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
  private recordedTargets(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    this.cells.forEach((cell, index) => {
      const result = refineMetadata(cell)['result'] as
        { readonly checkCells?: unknown } | undefined;
      for (const id of [result?.checkCells ?? []].flat()) {
        const check = positionOfId(this.cells, id);
        if (check !== null && check > index) {
          found.set(check, index);
        }
      }
    });
    return found;
  }

  /** It is locked, only sets up, writes tests, or defines one of the names. */
  private helps(index: number, uses: ReadonlySet<string>): boolean {
    const cell = cellAt(this.cells, index);
    return (
      isLocked(cell) ||
      onlySetsUp(cell.source, this.language) ||
      writtenTests(cell.source) !== null ||
      [...this.factsOf(index).binds].some(name => uses.has(name))
    );
  }

  private mayHelp(index: number): boolean {
    const cell = cellAt(this.cells, index);
    const { statements, checks } = this.factsOf(index);
    return (
      cell.type === 'code' &&
      !isMagicCell(cell) &&
      !hasTag(cell, CellTags.skip) &&
      (statements.length > 0 || /^\s*%/m.test(cell.source)) &&
      checks === 0
    );
  }

  /** The markdown cell above a check that reads `response`, the prose under check. */
  private proseOf(check: number): number | null {
    const cell = cellAt(this.cells, check);
    const { reads, binds } = this.factsOf(check);
    const reading =
      reads.has('response') ||
      (markedRole(cell) === 'scorer' && NAMED_RESPONSE.test(cell.source));
    if (cell.type !== 'code' || !reading || binds.has('response')) {
      return null;
    }
    const nearest = this.cells
      .slice(0, check)
      .findLastIndex(
        ({ type }, index) =>
          (type === 'markdown' && !isLocked(cellAt(this.cells, index))) ||
          (type === 'code' && this.factsOf(index).binds.has('response'))
      );
    return this.cells[nearest]?.type === 'markdown' ? nearest : null;
  }

  private linkedTarget(check: number): number | null {
    const id = refineMetadata(cellAt(this.cells, check))['target'];
    const index = positionOfId(this.cells, id);
    return index === check ? null : index;
  }
}

/** The `%%refine` cell that a code cell is linked to, or that stands right above a text and is linked to no cell. */
export function promptCellOf(
  cells: readonly NotebookCell[],
  cell: NotebookCell
): NotebookCell | null {
  const cellOf = (id: unknown, before = 0) =>
    cells[(positionOfId(cells, id) ?? -1) - before];
  const linked = cellOf(refineMetadata(cell)['promptCell']);
  if (linked && isMagicCell(linked)) {
    return linked;
  }
  const above = cell.type === 'markdown' ? cellOf(cell.id, 1) : undefined;
  return above &&
    isMagicCell(above) &&
    !cells.some(other => refineMetadata(other)['promptCell'] === above.id)
    ? above
    : null;
}
