/** What was found in a candidate's source without running it. */
import { findingLine } from '../evaluators/static';
import { isGated } from '../domain/execution';
import type { VisibleExecution } from '../domain/visible';
import { bounded } from './parts';

const FINDINGS_TOLD = 20;

/** Empty without static checks or findings. */
export function findingsText(execution: VisibleExecution | null): string {
  const gated = execution !== null && isGated(execution);
  // A syntax error that was run has been raised, and is reported as such.
  const findings = (execution?.findings ?? []).filter(
    f => gated || f.code !== 'syntax'
  );
  if (findings.length === 0) {
    return '';
  }
  const left = findings.length - FINDINGS_TOLD;
  return bounded([
    gated
      ? 'The cell was not run: its source cannot run as it is.'
      : 'Seen in its source:',
    [
      ...findings.slice(0, FINDINGS_TOLD).map(f => `- ${findingLine(f)}`),
      ...(left > 0 ? [`- and ${left} more`] : [])
    ].join('\n')
  ]);
}
