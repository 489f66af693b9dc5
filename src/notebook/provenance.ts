/** What is written into the cell of an accepted attempt, and what it remembers of its refinement. */
import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Isolation } from '../core/domain/execution';
import type { ModelIdentity } from '../core/domain/model';
import type { BestAttempt, Outcome } from '../core/domain/outcome';
import { numberedChecks } from '../core/domain/checks/numberedChecks';
import type { CheckCell, RefineRequest } from '../core/domain/request';
import {
  METADATA_KEY,
  refineMetadata,
  type NotebookCell
} from './structure/cells';
import { leadingComment, promptLines } from './prompt';

export type ProvenanceInput = {
  readonly request: RefineRequest;
  readonly outcome: Outcome;
  /** The best attempt, or another that the user chose. */
  readonly accepted: Omit<BestAttempt, 'thoughts' | 'score' | 'metric'>;
  readonly isolation: Isolation;
  readonly model: ModelIdentity | null;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the pass was repeated in a fresh kernel, and held; none: it was not. */
  readonly clean?: boolean;
  /** Checks that a process confirmed which never ran the cell, of those that held; none: it is no pass, or has no check. */
  readonly confirmed?: { readonly n: number; readonly of: number };
};

/** `metadata.jupyterlab_refine.result` of an accepted cell. */
export type ResultMetadata = Readonly<ReturnType<typeof provenance>>;

export function provenance(input: ProvenanceInput) {
  const { request, outcome, accepted, model, clean, confirmed } = input;
  const { mode, memory, files, network } = input.isolation;
  const skipped = numberedChecks(request)
    .filter(check => check.skipped)
    .map(({ cellId, line, source }) => ({ cellId, line, source }));
  const checks = [...request.assertions, ...request.holdouts];
  const checkCells = [...new Set(checks.map(({ cellId }) => cellId))].filter(
    id => id !== request.target.cellId
  );
  const source = acceptedSource(request, accepted.candidate);
  const { below } = request.target;
  return {
    prompt: request.prompt,
    /** `profile/model`; null when no model wrote it. */
    model: model ? `${model.profile}/${model.model}` : null,
    /** True for recorded answers. */
    recorded: model?.recorded ?? false,
    /** Number of the accepted attempt, 0 for what the cell held. */
    attempt: accepted.attempt,
    attempts: outcome.attempts,
    stopReason: outcome.stopReason,
    checkedBy: outcome.checkedBy,
    /** It was kept although it did not pass. */
    ...(accepted.evaluation === 'pass' ? {} : { notPassed: true }),
    /** Statements that held, hold-outs included, and all of them. */
    passed: accepted.passed,
    total: accepted.total,
    ...(confirmed ? { confirmed } : {}),
    /** Visible checks that were left out, since the model disputed them. */
    ...(skipped.length > 0 ? { skipped } : {}),
    isolation: { mode, memory, files, network },
    ...(clean === undefined ? {} : { clean }),
    /** Ids of the cells that check it: they stay its checks. */
    ...(checkCells.length > 0 ? { checkCells } : {}),
    /** Offset of its own checks in the cell's source. */
    ...(below ? { ownChecks: source.length - below.length } : {}),
    sourceHash: sourceHash(source),
    checksHash: checksHash(checks),
    /** ISO 8601, UTC. */
    date: new Date(input.now).toISOString(),
    /** Of this extension. */
    version: input.version
  };
}

/** Hash of a source as the badge compares it: without trailing blanks, which editors change. */
export function sourceHash(source: string): string {
  return sha256(source.replace(/\r\n?/g, '\n').trimEnd());
}

/** Hash over the checks in notebook order, wherever in its cell each starts. */
export function checksHash(checks: readonly CheckCell[]): string {
  const hashes = checks.map(({ role, source }) => [
    role,
    sourceHash(source.replace(/^\n+/, ''))
  ]);
  return sha256(JSON.stringify(hashes));
}

/** The provenance of a cell as written in the notebook; null when there is none that can be read. */
export function readResult(cell: NotebookCell): ResultMetadata | null {
  const result = refineMetadata(cell)['result'] as
    Partial<ResultMetadata> | null | undefined;
  return typeof result?.sourceHash === 'string' &&
    typeof result.checksHash === 'string' &&
    typeof result.passed === 'number' &&
    typeof result.total === 'number'
    ? (result as ResultMetadata)
    : null;
}

/** A cell's metadata with fields of this extension set; `undefined` takes one out. */
export function withRefineMetadata(
  metadata: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> {
  const own = { ...Object(metadata[METADATA_KEY]), ...fields };
  const kept = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...metadata, [METADATA_KEY]: Object.fromEntries(kept) };
}

type Asked = Pick<RefineRequest, 'target' | 'prompt' | 'language'>;

/**
 * The code of an attempt as its cell holds it: below the comment that is the
 * prompt or part of it, where the code left that out, and above the cell's own checks.
 *
 * @example
 * ```ts
 * // The cell held: # answer: the number 42
 * acceptedSource(request, 'answer = 42'); // # answer: the number 42\nanswer = 42
 * ```
 */
export function acceptedSource(
  { target, prompt, language }: Asked,
  code: string
): string {
  const comment = leadingComment(target.source, language).trim();
  const asked =
    code !== '' && prompt.includes(comment)
      ? promptLines(target.source, language)
      : [];
  const lines = code.split('\n');
  const there = new Set(lines.map(line => line.trim()));
  if (!asked.every(line => there.has(line))) {
    // A cell magic stays the first line.
    const magics = lines.findIndex(line => !line.startsWith('%%'));
    lines.splice(Math.max(0, magics), 0, ...asked);
  }
  const whole = lines.join('\n');
  return target.below === undefined ? whole : whole.trimEnd() + target.below;
}

/** True for a source that is an attempt's, with the comment that is the prompt or without it. */
export function holdsAttempt(
  request: Asked,
  code: string,
  source: string
): boolean {
  return source === code || source === acceptedSource(request, code);
}

/**
 * SHA-256 of the text's UTF-8 bytes, 64 hexadecimal digits. The browser's own is asynchronous
 * and missing on plain http; hashes here are needed while a cell is being drawn.
 */
export function sha256(text: string): string {
  return bytesToHex(hash(utf8ToBytes(text)));
}
