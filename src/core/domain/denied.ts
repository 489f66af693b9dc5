/** What an isolated attempt was denied, and what the user can allow. */
import type { Execution } from './execution';

/** What the user can allow for the rest of a session. */
export type DeniedSubject = 'network' | 'writes';

/** What a denial of `Execution.denied` is about, from how the kernel part words it; null: nothing that can be allowed. */
export function subjectOf(denial: string): DeniedSubject | null {
  return denial.startsWith('tried to reach ')
    ? 'network'
    : denial.startsWith('tried to write ')
      ? 'writes'
      : null;
}

/** True where all checks passed: what was denied did not matter. */
export function held(execution: Execution): boolean {
  return (
    execution.status === 'completed' &&
    execution.assertions.every(a => a.outcome === 'passed')
  );
}

/** What to allow before an attempt can be run again; null: its failure has another cause. */
export function toAllow(execution: Execution | null): DeniedSubject | null {
  if (execution === null || held(execution)) {
    return null;
  }
  return execution.denied.map(subjectOf).find(Boolean) ?? null;
}
