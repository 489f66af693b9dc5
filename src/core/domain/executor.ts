/** The port over which candidates are run. Implemented in `kernel/` and by `testing/FakeExecutor`. */
import type { ContextValues } from '../settings';
import { languageOf } from '../languages/list';
import { wellFormed } from '../text/cut';
import type { AssertionResult, Execution, Isolation } from './execution';
import type { KernelFailure, RepairJob } from './repair';
import type {
  CheckCell,
  ScorerCell,
  VariableInfo,
  RefineRequest
} from './request';
import { hasChecks } from './checks/checks';
import { withoutSkipped } from './checks/numberedChecks';

export type ExecutionJob = {
  /** Unique within the session. */
  readonly id: string;
  readonly candidate: string;
  readonly assertions: readonly CheckCell[];
  readonly holdouts: readonly CheckCell[];
  /** Wall time of the whole execution, seconds. */
  readonly limits: { readonly seconds: number };
  readonly contextValues: ContextValues;
  readonly allowNetwork: boolean;
  readonly allowWrites: boolean;
  /**
   * The notebook, absolute or as the contents service names it: the file and its
   * checkpoints are hidden from the candidate where the system allows.
   */
  readonly notebookPath?: string;
  /** Names that only hold-out cells define; the candidate does not see them. */
  readonly hiddenNames?: readonly string[];
  /** Names of the target's own results: a new value of one is no change of earlier data. */
  readonly ownNames?: readonly string[];
  /** Names that the candidate must define: a library’s function of that name does not count. */
  readonly askedNames?: readonly string[];
  /** Names of live variables that the scorer sees and the candidate does not. */
  readonly hiddenData?: readonly string[];
  /** Run after all checks, beside the candidate's results. */
  readonly scorer?: ScorerCell;
  /** Watch whether the candidate fixes an error or hides it. */
  readonly repair?: RepairJob;
  /** Static checks before the run: one with errors does not run. */
  readonly static?: 'gate';
};

/** A cell that failed, as the notebook shows it. */
export type FailedSource = {
  readonly source: string;
  /** Type of the error: `KeyError`. */
  readonly name: string;
};

/** Previews while an execution runs. The returned {@link Execution} alone decides. */
export type ExecutionProgress =
  | { readonly type: 'waiting'; readonly reason: string }
  | { readonly type: 'started' }
  | {
      readonly type: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | { readonly type: 'assertion'; readonly result: AssertionResult };

/** What the isolation of an attempt depends on. */
export type WarmJob = Pick<
  ExecutionJob,
  'allowNetwork' | 'allowWrites' | 'notebookPath'
>;

export interface IExecutor {
  /**
   * Probe the kernel and install what is needed there. Called once before the
   * first `run`; calling it again after a kernel restart is safe.
   *
   * @throws RefineError kind `kernel` when the kernel is dead or does not answer.
   */
  prepare(signal: AbortSignal): Promise<Isolation>;

  /** Types and shapes of live variables; unknown names are left out. */
  inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]>;

  /**
   * What is known of the last error of the kernel; null when it is not of this
   * source and this type. Absent where the kernel cannot say.
   */
  inspectFailure?(
    failed: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null>;

  /**
   * Get ready for the next `run` while the candidate is still being written.
   * Costs nothing that a user notices, never rejects, and may do nothing; true
   * when that run will be faster for it. Call it when code starts to arrive.
   */
  warm?(job: WarmJob): Promise<boolean>;

  /**
   * Run one candidate and its checks.
   *
   * Aborting `signal` ends the execution, never a cell of the user's, and
   * resolves with `status: 'cut', stop: 'stopped'`; it does not reject.
   *
   * @throws RefineError kind `kernel` only when there is no outcome to return.
   */
  run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution>;
}

export type PausedFrame = {
  /**
   * Evaluate a Python expression in the frame.
   *
   * @returns the `repr` of its value; rejects with what it raised, or when the debugger has gone on.
   */
  readonly evaluate: (expression: string) => Promise<string>;
  /** False as soon as the debugger has continued. */
  readonly isPaused: () => boolean;
  /** Names of its local variables. */
  readonly names: readonly string[];
};

/** `candidate` against the request's checks, within its limits; the scorer and static checks are the session's to add. */
export function executionJob(
  request: RefineRequest,
  id: string,
  candidate: string
): ExecutionJob {
  const { options, assertions, holdouts, path, language } = request;
  const { hiddenNames, hiddenData, ownNames, askedNames } = request;
  return {
    id,
    candidate,
    assertions: assertions.map(cell => withoutSkipped(cell, language)),
    holdouts,
    limits: { seconds: options.attemptTimeout },
    contextValues: options.contextValues,
    allowNetwork: options.allowNetwork,
    allowWrites: options.allowWrites,
    notebookPath: path,
    hiddenNames,
    hiddenData,
    ownNames,
    askedNames
  };
}

/** The source to execute: the candidate, or for prose the name `response` that its checks read; null: nothing is to be run. */
export function sourceToRun(
  request: RefineRequest,
  candidate: string
): string | null {
  if (request.target.kind === 'code') {
    return wellFormed(candidate);
  }
  if (!hasChecks(request) && !request.scorer) {
    return null;
  }
  return languageOf(request.language).bindResponse(
    JSON.stringify(wellFormed(candidate))
  );
}
