/** What an accepted cell remembers of its refinement, and whether that still holds. */
import type { Isolation } from '../core/domain/execution';
import type { ModelIdentity } from '../core/domain/model';
import type { BestAttempt, Outcome } from '../core/domain/outcome';
import { numberedChecks } from '../core/domain/checks/numberedChecks';
import type { CheckCell, RefineRequest } from '../core/domain/request';
import { METADATA_KEY, type NotebookCell } from './structure/cells';
import { sourceHash, type ResultMetadata } from './structure/result';
import { acceptedSource } from './acceptedSource';
import { planTarget } from './plan';
import { sha256 } from './sha256';

/** The attempt that is accepted: the best one, or another the user chose. */
type AcceptedAttempt = Pick<
  BestAttempt,
  'attempt' | 'candidate' | 'evaluation' | 'passed' | 'total'
>;

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
  const source = acceptedSource(request, accepted.candidate);
  const checkCells = [
    ...new Set(
      [...request.assertions, ...request.holdouts].map(check => check.cellId)
    )
  ].filter(id => id !== request.target.cellId);
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
    ...(checkCells.length > 0 ? { checkCells } : {}),
    ...(request.target.below
      ? { ownChecks: source.length - request.target.below.length }
      : {}),
    sourceHash: sourceHash(source),
    checksHash: checksHash([...request.assertions, ...request.holdouts]),
    date: new Date(input.now).toISOString(),
    version: input.version
  };
}

/** Hash over the checks in notebook order, wherever in its cell each starts. */
export function checksHash(checks: readonly CheckCell[]): string {
  return sha256(
    JSON.stringify(
      checks.map(check => [
        check.role,
        sourceHash(check.source.replace(/^\n+/, ''))
      ])
    )
  );
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
