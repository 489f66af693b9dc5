/**
 * Whether the checks of a pass were confirmed: seen to hold by a process that
 * never ran the candidate.
 */
import { countPassed, type Execution } from '../execution';
import type { AttemptState } from '../../events/state';

/** Why no check is confirmed where executors give no confirmation: live attempts, other languages. */
export const NO_SEPARATE_PROCESS =
  'this kernel has no separate process to confirm it';

/** A check that held and that no separate process confirmed. */
export type Unconfirmed = {
  /** As {@link AssertionResult.id}; `scorer` for the scorer. */
  readonly id: string;
  readonly role: 'assertion' | 'holdout' | 'scorer';
  /** Line in its cell, from 1; 0 for the scorer. */
  readonly line: number;
  /** Empty for hold-outs and for the scorer. */
  readonly source: string;
  /** A clause without its full stop. */
  readonly reason: string;
};

export type Confirmation = {
  /** Checks that were confirmed. */
  readonly n: number;
  /** Checks that held: assertions, each hold-out, and the scorer where it gave a value. */
  readonly of: number;
  /** In the order of the checks, the scorer last. */
  readonly reasons: readonly Unconfirmed[];
};

export function confirmation({
  assertions,
  scored
}: Pick<Execution, 'assertions' | 'scored'>): Confirmation {
  const checks = [
    ...assertions
      .filter(result => result.outcome === 'passed')
      .map(({ id, role, line, source, ...rest }) => ({
        of: { id, role, line, source },
        ...rest
      })),
    ...(scored && scored.value !== null
      ? [
          {
            of: { id: 'scorer', role: 'scorer' as const, line: 0, source: '' },
            ...scored
          }
        ]
      : [])
  ];
  const reasons = checks
    .filter(({ confirmed }) => confirmed !== true)
    .map(({ of, unconfirmed }) => ({
      ...of,
      reason: unconfirmed ?? NO_SEPARATE_PROCESS
    }));
  return { n: checks.length - reasons.length, of: checks.length, reasons };
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
