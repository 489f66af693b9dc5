/** Where the cells of one notebook run, and what ends a check there. */
import type { IExecutor } from '../../core/domain/executor';
import type { Target } from '../../core/domain/request';
import type { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/options';
import type { NotebookCell } from '../../notebook';
import type { NotebookResult, Status, TargetResult } from '../report/results';
import type { FinishedSession } from './target/targetRun';
import type { TestResults } from './testCells';

/** A kernel, or the warm process of a check. */
export interface IPlace {
  /** In lower case. */
  readonly language: string;
  /** For sessions here. */
  readonly settings: RefineOptions;
  /** For attempts. @throws RefineError kind `kernel` when they have real effects that nobody allowed. */
  executor(): Promise<IExecutor>;
  /** Run the cells above that did not run yet, or let attempts run them. @throws RefineError kind `input`, with the cell. */
  runAbove(
    target: Target,
    cells: readonly NotebookCell[],
    signal: AbortSignal
  ): Promise<void>;
  /** Null: the target is to be tried again, without a cell above it. @throws NotebookEnd */
  resultOf(target: Target, session: FinishedSession): TargetResult | null;
  /** What each check cell of a target earned. */
  tests(
    target: Target,
    session: FinishedSession,
    result: TargetResult,
    signal: AbortSignal,
    cells: readonly NotebookCell[]
  ): TestResults;
  /** The cell above that was running last, as a clause; empty for none. */
  readonly running: string;
  /** Why it cannot go on: a given server, or its kernel, is gone. Another can take its place after `kernel-dead`. */
  readonly lost: RefineError | null;
  end(): Promise<void>;
}

/** Ends a check; what is left of it gets rows with the reason. */
export class NotebookEnd extends Error {
  constructor(
    readonly status: Status,
    /** A clause. */
    message: string,
    /** Of the notebook as a whole, where it is more than that of its targets. */
    readonly problem: NotebookResult['problem'] = null
  ) {
    super(message);
  }
}
