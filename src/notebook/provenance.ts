/** What an accepted cell remembers of its refinement, and whether that still holds. */
import type { Isolation } from '../core/domain/execution';
import type { ModelIdentity } from '../core/domain/model';
import type { CheckedBy, Outcome, StopReason } from '../core/domain/outcome';
import {
  numberedChecks,
  type NumberedCheck
} from '../core/domain/checks/numberedChecks';
import type { CheckCell, RefineRequest } from '../core/domain/request';
import type { Evaluation } from '../core/domain/verdict';
import {
  METADATA_KEY,
  refineMetadata,
  type NotebookCell
} from './structure/cells';
import { acceptedSource } from './acceptedSource';
import { planTarget } from './plan';
import { sha256 } from './sha256';

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
  /** SHA-256 of the cell's source. */
  readonly sourceHash: string;
  /** SHA-256 over the sources of its checks. */
  readonly checksHash: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Version of this extension. */
  readonly version: string;
};

/** The attempt that is accepted: the best one, or another the user chose. */
export type AcceptedAttempt = {
  readonly attempt: number;
  readonly candidate: string;
  readonly evaluation: Evaluation;
  readonly passed: number;
  readonly total: number;
};

export type ProvenanceInput = {
  readonly request: RefineRequest;
  readonly outcome: Outcome;
  readonly accepted: AcceptedAttempt;
  readonly isolation: Isolation;
  readonly model: ModelIdentity | null;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly clean?: boolean;
  /** Of the accepted attempt; none: it is no pass, or has no check. */
  readonly confirmed?: { readonly n: number; readonly of: number };
};

export function provenance(input: ProvenanceInput): ResultMetadata {
  const { request, outcome, accepted, isolation, model } = input;
  const skipped = numberedChecks(request).filter(check => check.skipped);
  return {
    prompt: request.prompt,
    model: model ? `${model.profile}/${model.model}` : null,
    recorded: model?.recorded ?? false,
    attempt: accepted.attempt,
    attempts: outcome.attempts,
    stopReason: outcome.stopReason,
    checkedBy: outcome.checkedBy,
    ...(accepted.evaluation === 'pass' ? {} : { notPassed: true }),
    passed: accepted.passed,
    total: accepted.total,
    ...(input.confirmed ? { confirmed: input.confirmed } : {}),
    ...(skipped.length > 0
      ? {
          skipped: skipped.map(({ cellId, line, source }) => ({
            cellId,
            line,
            source
          }))
        }
      : {}),
    isolation: {
      mode: isolation.mode,
      memory: isolation.memory,
      files: isolation.files,
      network: isolation.network
    },
    ...(input.clean === undefined ? {} : { clean: input.clean }),
    sourceHash: sourceHash(acceptedSource(request, accepted.candidate)),
    checksHash: checksHash([...request.assertions, ...request.holdouts]),
    date: new Date(input.now).toISOString(),
    version: input.version
  };
}

/** Hash of a source as the badge compares it: without trailing blanks, which editors change. */
export function sourceHash(source: string): string {
  return sha256(source.replace(/\r\n?/g, '\n').trimEnd());
}

/** Hash over the checks in notebook order. */
export function checksHash(checks: readonly CheckCell[]): string {
  return sha256(
    JSON.stringify(checks.map(check => [check.role, sourceHash(check.source)]))
  );
}

/** The provenance of a cell as written in the notebook; null when there is none that can be read. */
export function readResult(cell: NotebookCell): ResultMetadata | null {
  const result = refineMetadata(cell)['result'];
  return isResult(result) ? result : null;
}

/** True when source or checks are no longer those that the result is about. */
export function isStale(
  result: Pick<ResultMetadata, 'sourceHash' | 'checksHash'>,
  cells: readonly NotebookCell[],
  cellId: string,
  language: string
): boolean {
  const index = cells.findIndex(cell => cell.id === cellId);
  const cell = cells[index];
  if (!cell || sourceHash(cell.source) !== result.sourceHash) {
    return true;
  }
  const plan = planTarget(
    cells,
    {
      cellId,
      index,
      kind: cell.type === 'markdown' ? 'markdown' : 'code',
      source: cell.source
    },
    language
  );
  return (
    checksHash([...plan.assertions, ...plan.holdouts]) !== result.checksHash
  );
}

/** A cell's metadata with fields of this extension set; `undefined` takes one out. */
export function withRefineMetadata(
  metadata: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> {
  const own = metadata[METADATA_KEY];
  const merged = Object.fromEntries(
    Object.entries({
      ...(typeof own === 'object' && own !== null ? own : {}),
      ...fields
    }).filter(([, value]) => value !== undefined)
  );
  return { ...metadata, [METADATA_KEY]: merged };
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
