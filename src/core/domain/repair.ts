/** Fixing an error of a cell that nothing checks: what a fixed cell must still do. */
import type { Execution, ExecutionError, LocalVariable } from './execution';
import type { RefineRequest } from './request';
import { nearestName } from '../text/nearest';

/** Of a repaired cell that nothing checks. */
export const RUNS_UNCHECKED = 'It runs. Nothing checks its results.';

/** What the kernel knows of the error that a cell raised last. */
export type KernelFailure = {
  /** Line of the cell, from 1. */
  readonly line: number;
  /** Goes on the message with names that are there: ` Did you mean: 'items'?`; empty where none is similar. */
  readonly similar: string;
  /** Variables whose earlier value the cell reads and the failed run changed. */
  readonly changed: readonly string[];
  /** Of the innermost frame of the user's code. */
  readonly locals: readonly LocalVariable[];
};

/** The error to fix. */
export type RepairGoal = NonNullable<RefineRequest['repair']>;

/** What an executor watches while a candidate runs that is to fix an error. */
export type RepairJob = {
  /** Type of the error: `KeyError`. */
  readonly error: string;
  readonly names: readonly string[];
};

/** What to watch for; undefined where no error is to be fixed. @param first - what attempt 0 gave. */
export function repairJob(
  { repair }: RefineRequest,
  first: Execution | null | undefined
): RepairJob | undefined {
  if (!repair) {
    return undefined;
  }
  const error = repair.error ?? first?.error;
  return {
    error: error?.name ?? '',
    names: requiredNames(repair, error)
  };
}

/** Names that the fixed cell must define: all but the one that may be a misspelling of an undefined name. */
export function requiredNames(
  { names }: Pick<RepairGoal, 'names'>,
  error: Pick<ExecutionError, 'name' | 'message'> | undefined
): readonly string[] {
  const undefinedName =
    error?.name === 'NameError'
      ? /^name '([^']+)' is not defined/.exec(error.message)?.[1]
      : undefined;
  const misspelt =
    undefinedName === undefined ? null : nearestName(undefinedName, names);
  return names.filter(name => name !== misspelt);
}
