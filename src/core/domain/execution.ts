/** What running a candidate gave; produced by executors, read by evaluators, feedback, panel and command line. */
import type * as z from 'zod';
import type * as schemas from '../events/executionSchema';
import type { Frozen } from '../settings';

export type Isolation = Frozen<z.infer<typeof schemas.isolationSchema>>;
export type LocalVariable = Frozen<z.infer<typeof schemas.localVariableSchema>>;
export type ExecutionError = Frozen<
  z.infer<typeof schemas.executionErrorSchema>
>;
/** A frame of a traceback with its variables. */
export type ErrorFrame = NonNullable<ExecutionError['frames']>[number];
export type AssertionResult = Frozen<
  z.infer<typeof schemas.assertionResultSchema>
>;
export type AssertionOutcome = AssertionResult['outcome'];
export type ObservedValue = NonNullable<AssertionResult['observed']>;
export type StaticFinding = Frozen<z.infer<typeof schemas.staticFindingSchema>>;
export type ScorerResult = Frozen<z.infer<typeof schemas.scorerResultSchema>>;
export type DisplayData = Frozen<z.infer<typeof schemas.displaySchema>>;
export type RepairReport = Frozen<z.infer<typeof schemas.repairReportSchema>>;
export type Execution = Frozen<z.infer<typeof schemas.executionSchema>>;
/** Why an execution did not reach its end by itself. */
export type ExecutionStop = NonNullable<Execution['stop']>;

/** Of attempts that nothing isolates, with the reasons for it. */
export function liveIsolation(reasons: readonly string[]): Isolation {
  return {
    mode: 'live',
    memory: false,
    files: 'open',
    network: false,
    reasons
  };
}

/** What an execution holds that reported nothing. */
export const NOTHING_REPORTED = {
  assertions: [],
  stdout: '',
  stderr: '',
  displays: [],
  filesWritten: [],
  denied: [],
  tampering: [],
  warnings: [],
  durationMs: 0
} as const;

/** True when the candidate was not run for what was found in its source (the static evaluator). */
export function isGated({
  error,
  findings
}: Pick<Execution, 'error' | 'findings'>): boolean {
  return error?.name === 'StaticError' && findings !== undefined;
}

/** True when something other than the candidate ended it, so that nothing can be said of the candidate. */
export function saysNothing({ stop }: Execution): boolean {
  return (
    stop === 'harness' ||
    stop === 'kernel-died' ||
    stop === 'kernel-restarted' ||
    stop === 'stopped' ||
    stop === 'interrupted'
  );
}

/** k of n over the given role; n counts every statement known, run or not. */
export function countPassed(
  assertions: readonly Pick<AssertionResult, 'role' | 'outcome'>[],
  role?: 'assertion' | 'holdout'
): { readonly passed: number; readonly total: number } {
  const chosen = role ? assertions.filter(a => a.role === role) : assertions;
  return {
    passed: chosen.filter(a => a.outcome === 'passed').length,
    total: chosen.length
  };
}

/** Those that ran and did not hold, in order. */
export function failedAssertions<T extends Pick<AssertionResult, 'outcome'>>({
  assertions
}: {
  readonly assertions: readonly T[];
}): readonly T[] {
  return assertions.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'error'
  );
}

/** What an isolated attempt was denied and the user can allow for the rest of a session. */
export type DeniedSubject = 'network' | 'writes';

/** What to allow before an attempt can be run again; null: its failure has another cause. */
export function toAllow(execution: Execution | null): DeniedSubject | null {
  const passed =
    execution?.status === 'completed' &&
    execution.assertions.every(a => a.outcome === 'passed');
  // As the kernel part words them; other denials cannot be allowed.
  const subjects = execution?.denied.map(denial =>
    denial.startsWith('tried to reach ')
      ? 'network'
      : denial.startsWith('tried to write ')
        ? 'writes'
        : null
  );
  return passed ? null : (subjects?.find(Boolean) ?? null);
}
