/** What an accepted cell remembers of its refinement. */
import type { Isolation } from '../../core/domain/execution';
import type { CheckedBy, StopReason } from '../../core/domain/outcome';
import type { NumberedCheck } from '../../core/domain/checks/numberedChecks';
import { sha256 } from '../sha256';
import { refineMetadata, type NotebookCell } from './cells';

/** `metadata.jupyterlab_refine.result` of an accepted cell. */
export type ResultMetadata = {
  readonly prompt: string;
  /** `profile/model`; null when no model wrote it. */
  readonly model: string | null;
  /** True for recorded answers. */
  readonly recorded: boolean;
  /** Number of the accepted attempt, 0 for what the cell held. */
  readonly attempt: number;
  readonly attempts: number;
  readonly stopReason: StopReason;
  readonly checkedBy: CheckedBy;
  /** True for an attempt that did not pass and was kept all the same; absent: it passed. */
  readonly notPassed?: true;
  /** Statements that held, hold-outs included, and all of them. */
  readonly passed: number;
  readonly total: number;
  /** Checks that a process confirmed which never ran the cell, of those that held, hold-outs and scorer included. */
  readonly confirmed?: { readonly n: number; readonly of: number };
  /** Visible checks that were left out, since the model disputed them. */
  readonly skipped?: readonly Pick<
    NumberedCheck,
    'cellId' | 'line' | 'source'
  >[];
  readonly isolation: Pick<Isolation, 'mode' | 'memory' | 'files' | 'network'>;
  /** Whether the pass was repeated in a fresh kernel, and held; none: it was not. */
  readonly clean?: boolean;
  /** Ids of the cells that check it: they stay its checks. */
  readonly checkCells?: readonly string[];
  /** Offset of its own checks in the cell's source; absent: it has none. */
  readonly ownChecks?: number;
  /** SHA-256 of the cell's source. */
  readonly sourceHash: string;
  /** SHA-256 over the sources of its checks. */
  readonly checksHash: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Version of this extension. */
  readonly version: string;
};

/** Hash of a source as the badge compares it: without trailing blanks, which editors change. */
export function sourceHash(source: string): string {
  return sha256(source.replace(/\r\n?/g, '\n').trimEnd());
}

/** The provenance of a cell as written in the notebook; null when there is none that can be read. */
export function readResult(cell: NotebookCell): ResultMetadata | null {
  const result = refineMetadata(cell)['result'];
  return isResult(result) ? result : null;
}

function isResult(value: unknown): value is ResultMetadata {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    typeof fields['sourceHash'] === 'string' &&
    typeof fields['checksHash'] === 'string' &&
    typeof fields['passed'] === 'number' &&
    typeof fields['total'] === 'number'
  );
}
