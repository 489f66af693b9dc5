/** What an isolated attempt was denied, and what the user can allow. */
import type { Execution } from './execution';

/** What the user can allow for the rest of a session. */
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
