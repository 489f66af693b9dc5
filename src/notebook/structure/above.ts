/** What stands above a check, read from the top of a notebook: which cell a check is about. */
import { isBuiltin } from '../../core/python/names';
import { analyse, onlySetsUp, writtenTests } from '../python/analysis';
import type { NotebookCell } from './cells';
import { placeholders } from '../../core/python/placeholders';
import {
  isGradedTest,
  isLocked,
  isLockedByNbgrader,
  isMagicCell,
  isSolution,
  markedRole
} from './roles';

/** Objects that run the tests of a course, and modules that run any: they are not what is tested. */
const RUNNERS = new Set(['grader', 'ok', 'doctest', 'unittest', 'pytest']);

/** A name in a text that is marked as code, or called. */
const NAMED = /`(\w+)[^`\n]*`|\b([^\W\d]\w*)\(/g;

/** A code cell that a check below may be about. */
type Row = ReturnType<Above['rowOf']>;

export class Above {
  constructor(private readonly language: string) {}

  /**
   * The cell that a check is about: the nearest one that defines or changes what
   * the check uses, or is empty, or was written for a `%%refine` cell. A stub, or what the
   * text above asks for, comes before a helper below it. Where nothing of that is above, the nearest that could be
   * meant; null where a test by its looks is about nothing above.
   *
   * @param handed - functions of cells above that its tests are handed: these are what it is about.
   */
  targetOf(check: NotebookCell, handed: readonly string[] = []): number | null {
    const rows = this.rows.filter(row => !isLocked(row.cell));
    const solution = rows.findLast(row => isSolution(row.cell));
    const uses = handed.length > 0 ? handed : this.usesOf(check);
    const makes = (row: Row) => uses.some(name => row.makes.has(name));
    if (solution && isGradedTest(check)) {
      // Where a student has lost the marked cell, that of another task is above.
      const lost = rows.findLast(
        row => row.index > solution.index && makes(row)
      );
      const isOfOther =
        lost &&
        isBetween(solution, lost) &&
        solution.makes.size > 0 &&
        !makes(solution);
      return (isOfOther ? lost : solution).index;
    }
    const any = rows.findLast(row => row.doesMore);
    const work =
      rows.findLast(
        ({ doesMore, cell }) =>
          doesMore && !onlySetsUp(cell.source, this.language)
      ) ?? any;
    if (this.language !== 'python') {
      const last = rows.at(-1);
      return (last?.isEmpty ? last : work)?.index ?? null;
    }
    const isMissing = uses.some(
      name => !this.bound.has(name) && !isBuiltin(name)
    );
    // Not where a check below the cell has bound the name again.
    const byName = (names: (row: Row) => ReadonlySet<string>, of = rows) =>
      of.findLast(row =>
        uses.some(
          name =>
            names(row).has(name) &&
            (this.tested.get(name)?.at ?? -1) <= row.index
        )
      );
    const maker = byName(row => row.makes);
    const isStub = (row: Row) => (name: string) => this.stubs.get(name) === row;
    // Also one that is called for what the check reads.
    const stub = rows.findLast(
      row =>
        uses.some(isStub(row)) ||
        row.open.filter(isStub(row)).some(name => maker?.reads.has(name))
    );
    const near = stub && !(maker && isBetween(stub, maker)) ? stub : maker;
    const empty = rows.findLast(row => row.isEmpty);
    const prompted = rows.findLast(row => row.isPrompted);
    const isNext =
      empty &&
      (near
        ? empty.index > near.index
          ? isMissing ||
            isBetween(near, empty) ||
            empty.cell.source.trim() !== ''
          : isMissing && !isBetween(empty, near)
        : uses.length > 0 || empty.index > (work?.index ?? -1));
    const nearest = isNext ? empty : near;
    if (prompted && prompted.index >= (nearest ?? prompted).index) {
      return prompted.index;
    }
    const tested = uses.flatMap(name => this.tested.get(name) ?? []);
    const since = Math.max(-1, ...tested.map(({ at }) => at));
    const found =
      nearest ??
      (isMissing
        ? rows.findLast(({ open, index }) => open.length > 0 && index > since)
        : null) ??
      // Also code that the notebook, not nbgrader, marks as not editable.
      byName(row => row.makes, this.rows) ??
      byName(row => row.helpers);
    if (found || tested.length > 0) {
      return found?.index ?? Math.max(...tested.map(({ target }) => target));
    }
    const meant =
      markedRole(check) && !isMissing
        ? any
        : isMissing || uses.length === 0
          ? work
          : byName(row => row.reads);
    return meant?.index ?? null;
  }

  /** Go on below a cell that is no check. */
  pass(cell: NotebookCell, index: number, isPrompted: boolean): void {
    if (cell.type === 'markdown' && cell.source.trim()) {
      if (this.boundary !== index - 1) {
        this.asked.clear();
      }
      for (const [, code, call] of cell.source.matchAll(NAMED)) {
        this.asked.add((code ?? call)!);
      }
      this.boundary = index;
    } else if (isMagicCell(cell)) {
      // Below a `%%refine` cell without a target, nothing above it is checked.
      this.rows = [];
      this.tested.clear();
    } else if (cell.type === 'code') {
      const tests = writtenTests(cell.source);
      if (tests !== null) {
        this.written = analyse(tests, this.language).reads;
        return;
      }
      const row = this.rowOf(cell, index, isPrompted);
      row.binds.forEach(name => this.bound.add(name));
      const before = this.rows.at(-1);
      // The cell that was already there when the one above it was made for a prompt.
      const isSpare =
        cell.source.trim() === '' &&
        before?.index === index - 1 &&
        before.isPrompted &&
        before.isEmpty;
      if (isSpare || isLockedByNbgrader(cell)) {
        return;
      }
      this.rows.push(row);
      row.helpers.forEach(name => this.helperReads.set(name, row.reads));
      row.makes.forEach(name => this.made.add(name));
      for (const name of row.binds) {
        if (row.open.includes(name) || this.asked.has(name)) {
          this.stubs.set(name, row);
        } else {
          this.stubs.delete(name);
        }
      }
    }
  }

  /** Go on below a check. */
  passCheck(cell: NotebookCell, index: number, target: number | null): void {
    this.boundary = index;
    this.asked.clear();
    if (markedRole(cell) === 'holdout' || markedRole(cell) === 'scorer') {
      return;
    }
    const { binds, helpers, reads } = analyse(cell.source, this.language);
    helpers.forEach(name => this.helperReads.set(name, reads));
    for (const name of binds) {
      this.bound.add(name);
      this.stubs.delete(name);
      if (target !== null) {
        this.tested.set(name, { target, at: index });
      }
    }
  }

  private rowOf(cell: NotebookCell, index: number, isPrompted: boolean) {
    const facts = analyse(cell.source, this.language);
    const { statements, makes, helpers, reads } = facts;
    const isPython = this.language === 'python';
    const isEmpty = isPython
      ? statements.length === 0 && !/^\s*(?:[%!]|#\|)/m.test(cell.source)
      : cell.source.trim() === '';
    const onlyShows =
      isPython &&
      makes.size + helpers.size === 0 &&
      statements.every(({ kind }) => kind === 'other') &&
      [...reads].some(name => this.made.has(name));
    return {
      ...facts,
      cell,
      index,
      /** It was written for a `%%refine` cell. */
      isPrompted,
      isEmpty,
      /** Names that it leaves to be written. */
      open: isPython ? placeholders(cell.source) : [],
      /** It does more than to show something. */
      doesMore: !isEmpty && !onlyShows,
      /** Position of the last text or check above it. */
      boundary: this.boundary
    };
  }

  /** Names that a check reads, also through a test function of a cell above. */
  private usesOf({ source }: NotebookCell): readonly string[] {
    const { reads, binds } = analyse(source, this.language);
    const named = new Set(reads);
    if (/^\s*%run\b/m.test(source)) {
      this.written.forEach(name => named.add(name));
    }
    named.forEach(name =>
      this.helperReads.get(name)?.forEach(read => named.add(read))
    );
    return [...named].filter(name => !binds.has(name) && !RUNNERS.has(name));
  }

  private rows: Row[] = [];
  /** Names that all cells above bind. */
  private readonly bound = new Set<string>();
  private readonly made = new Set<string>();
  /** By name that is still to be written, or that the text above its cell asks for: that cell. */
  private readonly stubs = new Map<string, Row>();
  /** What the texts right above name as code. */
  private readonly asked = new Set<string>();
  /** By name of a function that only checks: what its cell reads. */
  private readonly helperReads = new Map<string, ReadonlySet<string>>();
  /** What the tests read that a cell has written to a file. */
  private written: ReadonlySet<string> = new Set();
  /** By name that a check binds: what the check is about, and where the check is. */
  private readonly tested = new Map<string, { target: number; at: number }>();
  private boundary = -1;
}

/** True where a text or a check stands between two cells. */
function isBetween(a: Row, b: Row): boolean {
  const [first, second] = a.index < b.index ? [a, b] : [b, a];
  return second.boundary > first.index;
}
