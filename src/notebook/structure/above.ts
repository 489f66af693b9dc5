/** What stands above a check, read from the top of a notebook: which cell a check is about. */
import { isBuiltin } from '../../core/python/names';
import { analyse, onlySetsUp, type SourceAnalysis } from '../python/analysis';
import type { NotebookCell } from './cells';
import { placeholders } from './placeholders';
import {
  isGradedTest,
  isLocked,
  isLockedByNbgrader,
  isMagicCell,
  isSolution,
  markedRole
} from './roles';

/** Objects that run the tests of a course, and are not what is tested. */
const RUNNERS = new Set(['grader', 'ok']);

/** A name in a text that is marked as code, or called. */
const NAMED = /`(\w+)[^`\n]*`|\b([^\W\d]\w*)\(/g;

/** By name: position of the last cell that does something with it. */
type ByName = Map<string, number>;

export class Above {
  constructor(
    private readonly cells: readonly NotebookCell[],
    private readonly language: string
  ) {}

  /**
   * The cell that a check is about: the nearest one that defines or changes what
   * the check uses, or is empty, or was written for a `%%refine` cell. A stub, or what the
   * text above asks for, comes before a helper below it. Where nothing of that is above, the nearest that could be
   * meant; null where a test by its looks is about nothing above.
   *
   * @param marked - a tag says that it is a check.
   */
  targetOf(check: NotebookCell, marked: boolean): number | null {
    if (isGradedTest(check) && this.solution !== null) {
      return this.solution;
    }
    if (this.language !== 'python') {
      return this.empty ?? this.work ?? this.any;
    }
    const { reads, binds } = analyse(check.source, this.language);
    const named = new Set(reads);
    // What a test function of a cell above uses, its call checks.
    named.forEach(name =>
      this.helperReads.get(name)?.forEach(read => named.add(read))
    );
    const uses = [...named].filter(
      name => !binds.has(name) && !RUNNERS.has(name)
    );
    const last = (map: ByName) =>
      uses.reduce<number | null>((found, name) => {
        const index = map.get(name) ?? null;
        return index === null || (found !== null && found > index)
          ? found
          : index;
      }, null);
    const isMissing = uses.some(
      name => !this.bound.has(name) && !isBuiltin(name)
    );
    let near = last(this.definers);
    const stub = last(this.stubs);
    if (stub !== null && (near === null || !this.isBetween(stub, near))) {
      near = stub;
    }
    const { empty, prompted } = this;
    if (prompted !== null && prompted >= Math.max(near ?? -1, empty ?? -1)) {
      return prompted;
    }
    if (empty !== null) {
      const isNext =
        near === null ||
        (empty > near
          ? isMissing ||
            this.isBetween(near, empty) ||
            this.cells[empty]!.source.trim() !== ''
          : isMissing && !this.isBetween(empty, near));
      if (isNext) {
        return empty;
      }
    }
    if (near !== null) {
      return near;
    }
    if (isMissing && this.stub !== null) {
      return this.stub;
    }
    const alike =
      last(this.readOnly) ?? last(this.helpers) ?? last(this.tested);
    return (
      alike ??
      (marked && !isMissing
        ? this.any
        : isMissing || uses.length === 0
          ? (this.work ?? this.any)
          : last(this.users))
    );
  }

  /** Go on below a cell that is no check. */
  pass(cell: NotebookCell, index: number, isPrompted: boolean): void {
    if (cell.type === 'markdown' && cell.source.trim()) {
      if (this.cells[index - 1]?.type !== 'markdown') {
        this.asked.clear();
      }
      for (const [, code, call] of cell.source.matchAll(NAMED)) {
        this.asked.add((code ?? call)!);
      }
      this.boundary = index;
    }
    if (cell.type !== 'code') {
      return;
    }
    if (isMagicCell(cell)) {
      this.startAnew();
      return;
    }
    const facts = analyse(cell.source, this.language);
    facts.binds.forEach(name => this.bound.add(name));
    if (isLocked(cell)) {
      this.passLocked(cell, index);
      return;
    }
    this.boundaries[index] = this.boundary;
    if (isSolution(cell)) {
      this.solution = index;
    }
    if (isPrompted) {
      this.prompted = index;
    }
    const isEmpty =
      this.language === 'python'
        ? facts.statements.length === 0 && !/^\s*[%!]/m.test(cell.source)
        : cell.source.trim() === '';
    if (isEmpty) {
      this.empty = index;
      return;
    }
    const open =
      this.language === 'python' ? placeholders(cell.source) : ([] as const);
    const made = [...facts.binds, ...facts.changes].filter(
      name => !facts.imports.has(name)
    );
    this.passHelpers(facts);
    for (const name of made) {
      (facts.helpers.has(name) ? this.helpers : this.definers).set(name, index);
    }
    for (const name of facts.binds) {
      if (open.includes(name) || this.asked.has(name)) {
        this.stubs.set(name, index);
      } else {
        this.stubs.delete(name);
      }
    }
    facts.reads.forEach(name => this.users.set(name, index));
    if (open.length > 0) {
      this.stub = index;
    }
    if (this.language !== 'python') {
      this.empty = null;
    }
    if (made.length > 0 || !this.onlyShows(facts)) {
      this.any = index;
      if (!onlySetsUp(cell.source, this.language)) {
        this.work = index;
      }
    }
  }

  /** Go on below a check. */
  passCheck(cell: NotebookCell, index: number, target: number | null): void {
    this.boundary = index;
    if (markedRole(cell) === 'holdout' || markedRole(cell) === 'scorer') {
      return;
    }
    const facts = analyse(cell.source, this.language);
    this.passHelpers(facts);
    for (const name of facts.binds) {
      this.bound.add(name);
      if (target !== null) {
        this.tested.set(name, target);
      }
    }
  }

  /** Nothing but expressions of what cells above have made. */
  private onlyShows({ statements, reads }: SourceAnalysis): boolean {
    return (
      this.language === 'python' &&
      statements.every(({ kind }) => kind === 'other') &&
      [...reads].some(name => this.definers.has(name))
    );
  }

  private passHelpers({ helpers, reads }: SourceAnalysis): void {
    helpers.forEach(name => this.helperReads.set(name, reads));
  }

  /** Code that the notebook marks as not editable may be checked; what nbgrader locks never is. */
  private passLocked(cell: NotebookCell, index: number): void {
    if (isReadOnly(cell)) {
      this.boundaries[index] = this.boundary;
      const { binds, imports } = analyse(cell.source, this.language);
      for (const name of binds) {
        if (!imports.has(name)) {
          this.readOnly.set(name, index);
        }
      }
    }
  }

  /** Below a `%%refine` cell without a target, nothing above it is checked. */
  private startAnew(): void {
    [this.definers, this.stubs, this.helpers, this.users].forEach(map =>
      map.clear()
    );
    [this.readOnly, this.tested].forEach(map => map.clear());
    this.empty = this.stub = this.work = this.any = null;
    this.prompted = this.solution = null;
  }

  /** True where a text or a check stands between two cells. */
  private isBetween(a: number, b: number): boolean {
    const [first, second] = a < b ? [a, b] : [b, a];
    return (this.boundaries[second] ?? -1) > first;
  }

  private readonly definers: ByName = new Map();
  /** Names that are still to be written, or that the text above their cell asks for. */
  private readonly stubs: ByName = new Map();
  /** What the last text names as code. */
  private readonly asked = new Set<string>();
  private readonly helpers: ByName = new Map();
  /** By name of a function that only checks: what its cell reads. */
  private readonly helperReads = new Map<string, ReadonlySet<string>>();
  private readonly users: ByName = new Map();
  private readonly readOnly: ByName = new Map();
  /** Names that checks bind, with what these check. */
  private readonly tested: ByName = new Map();
  private readonly bound = new Set<string>();
  /** By position: the last text or check above it. */
  private readonly boundaries: number[] = [];
  private boundary = -1;
  private empty: number | null = null;
  private stub: number | null = null;
  private work: number | null = null;
  /** The last cell that does more than to show something; `work`: that does not only import, either. */
  private any: number | null = null;
  private prompted: number | null = null;
  private solution: number | null = null;
}

/** Code that the notebook, not nbgrader, marks as not editable: checks below it may still be about it. */
export function isReadOnly(cell: NotebookCell): boolean {
  return (
    cell.type === 'code' &&
    isLocked(cell) &&
    !isLockedByNbgrader(cell) &&
    !isMagicCell(cell) &&
    !markedRole(cell)
  );
}
