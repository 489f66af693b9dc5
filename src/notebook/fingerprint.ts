/** Whether a `%%refine` cell was run unchanged. */
import type { TargetPlan } from './plan';
import { sha256 } from './provenance';
import { refineMetadata, type NotebookCell } from './structure/cells';

/** Identifies prompt, options, checks and source of a target: what a `%%refine` run depends on. */
export function fingerprint(plan: TargetPlan): string {
  return sha256(
    JSON.stringify([
      plan.prompt,
      plan.cellOptions.values,
      [...plan.assertions, ...plan.holdouts].map(check => check.source),
      plan.target.source
    ])
  );
}

/** True when the `%%refine` cell was run with exactly this before: running it again does nothing. */
export function wasRefined(
  cells: readonly NotebookCell[],
  plan: TargetPlan
): boolean {
  const cell = cells.find(other => other.id === plan.target.cellId);
  return (
    cell !== undefined &&
    refineMetadata(cell)['fingerprint'] === fingerprint(plan)
  );
}
