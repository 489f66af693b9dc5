/** What happens to the cell after a pass; pure. */
import type { Execution } from '../core/execution';
import type { OnPass } from '../core/options';

/** Why running the cell for real may do more than the attempt did. */
export type PassDoubt =
  | { readonly type: 'not-isolated'; readonly reasons: readonly string[] }
  | { readonly type: 'files-open' }
  | { readonly type: 'network-open' }
  | { readonly type: 'wrote'; readonly files: readonly string[] }
  | { readonly type: 'denied'; readonly what: readonly string[] };

export type PassDecision =
  | { readonly action: 'run' }
  | { readonly action: 'insert' }
  | { readonly action: 'ask'; readonly doubts: readonly PassDoubt[] };

/** Everything that speaks against running the cell unasked; empty when the attempt left no trace and wanted none. */
export function doubtsOf(execution: Execution): readonly PassDoubt[] {
  const { isolation } = execution;
  const doubts: PassDoubt[] = [];
  if (isolation.mode === 'live' || !isolation.memory) {
    doubts.push({ type: 'not-isolated', reasons: isolation.reasons });
  }
  if (isolation.files === 'open') {
    doubts.push({ type: 'files-open' });
  }
  if (!isolation.network) {
    doubts.push({ type: 'network-open' });
  }
  if (execution.filesWritten.length > 0) {
    doubts.push({ type: 'wrote', files: execution.filesWritten });
  }
  if (execution.denied.length > 0) {
    doubts.push({ type: 'denied', what: execution.denied });
  }
  return doubts;
}

/** @param execution of the attempt that passed; null when none was recorded, which is never run unasked. */
export function decideOnPass(
  onPass: OnPass,
  execution: Execution | null
): PassDecision {
  switch (onPass) {
    case 'insert':
      return { action: 'insert' };
    case 'ask':
      return { action: 'ask', doubts: execution ? doubtsOf(execution) : [] };
    case 'auto': {
      const doubts: readonly PassDoubt[] = execution
        ? doubtsOf(execution)
        : [{ type: 'not-isolated', reasons: [] }];
      return doubts.length === 0
        ? { action: 'run' }
        : { action: 'ask', doubts };
    }
  }
}
