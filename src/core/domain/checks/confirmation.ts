/**
 * Whether the checks of a pass were confirmed: seen to hold by a process that
 * never ran the candidate.
 */
import { countPassed, type Execution } from '../execution';
import type { AttemptState } from '../../events/state';

/** Why no check is confirmed where executors give no confirmation: live attempts, other languages. */
export const NO_SEPARATE_PROCESS =
  'this kernel has no separate process to confirm it';

export type Confirmation = ReturnType<typeof confirmation>;

/** A check that held and that no separate process confirmed. */
export type Unconfirmed = Confirmation['reasons'][number];

const SCORER = { id: 'scorer', role: 'scorer', line: 0, source: '' } as const;

export function confirmation({
  assertions,
  scored
}: Pick<Execution, 'assertions' | 'scored'>) {
  const checks = [
    ...assertions.filter(({ outcome }) => outcome === 'passed'),
    ...(scored && scored.value !== null ? [{ ...scored, ...SCORER }] : [])
  ];
  const reasons = checks
    .filter(({ confirmed }) => confirmed !== true)
    .map(({ id, role, line, source, unconfirmed }) => ({
      /** As {@link AssertionResult.id}; `scorer` for the scorer. */
      id,
      role,
      /** Line in its cell, from 1; 0 for the scorer. */
      line,
      /** Empty for hold-outs and for the scorer. */
      source,
      /** A clause without its full stop. */
      reason: unconfirmed ?? NO_SEPARATE_PROCESS
    }));
  return {
    /** Checks that were confirmed. */
    n: checks.length - reasons.length,
    /** Checks that held: assertions, each hold-out, and the scorer where it gave a value. */
    of: checks.length,
    /** In the order of the checks, the scorer last. */
    reasons
  };
}

/** Null where there is nothing to confirm: no pass, or a pass without checks. */
export function passConfirmation(
  execution: Execution | null | undefined
): Confirmation | null {
  if (!execution || execution.status !== 'completed') {
    return null;
  }
  const { passed, total } = countPassed(execution.assertions);
  const found = confirmation(execution);
  return passed === total && execution.tampering.length === 0 && found.of > 0
    ? found
    : null;
}

/** What outcomes and provenance keep of it. */
export function confirmedCounts(
  attempt: Pick<AttemptState, 'execution' | 'verdict'> | null | undefined
): { readonly n: number; readonly of: number } | undefined {
  const found =
    attempt?.verdict?.evaluation === 'pass'
      ? passConfirmation(attempt.execution)
      : null;
  return found ? { n: found.n, of: found.of } : undefined;
}
