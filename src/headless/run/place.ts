/** Where the cells of one notebook run, what ends a check there, and what a run uses of the command. */
import type { IExecutor } from '../../core/domain/executor';
import type { Outcome } from '../../core/domain/outcome';
import type { RefineRequest, Target } from '../../core/domain/request';
import type { RefineEvent } from '../../core/events/events';
import type { SessionState } from '../../core/events/state';
import type { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/settings';
import type { NotebookCell, TargetPolicy } from '../../notebook';
import type { Progress } from '../report/progress';
import type {
  NotebookResult,
  Status,
  TargetResult,
  TestResult
} from '../report/results';
import type { ChosenModels } from '../server/modelChoice';

/** Of the command. */
export type NotebookPorts = {
  /** Null: check only. */
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  readonly progress: Progress;
  /** Writes to the file of `--events`. */
  readonly onEvent: (event: RefineEvent) => void;
  readonly version: string;
  readonly signal: AbortSignal;
};

export type FinishedSession = {
  readonly request: RefineRequest;
  readonly state: SessionState;
  readonly outcome: Outcome;
};

/** A kernel, or the warm process of a check. */
export interface IPlace {
  /** In lower case. */
  readonly language: string;
  /** For sessions here. */
  readonly settings: RefineOptions;
  /** For attempts. */
  executor(): Promise<IExecutor>;
  /** Run the cells above that did not run yet, or let attempts run them. @throws RefineError kind `input`, with the cell. */
  runAbove(target: Target, cells: readonly NotebookCell[]): Promise<void>;
  /** Null: the target is to be tried again, without a cell above it. @throws NotebookEnd */
  resultOf(target: Target, session: FinishedSession): TargetResult | null;
  /** What each check cell of a target earned. */
  tests(
    target: Target,
    session: FinishedSession,
    result: TargetResult,
    cells: readonly NotebookCell[]
  ): Promise<readonly TestResult[]>;
  /** Why it cannot go on: a given server, or its kernel, is gone. */
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
