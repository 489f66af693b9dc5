/** Two runs over the same tasks: what the second one changes. */
import { readFileSync } from 'node:fs';
import { RefineError } from '../../core/errors';
import { fileProblem } from '../files/fileProblem';
import { reportSchema, type BenchReport, type BenchRun } from './results';
import { bootstrapMean, pairedShares, type Estimate } from './statistics';

export type Comparison = {
  readonly a: string;
  readonly b: string;
  /** Tasks with a result in both. */
  readonly tasks: number;
  /** Tasks that only one of the two has a result of. */
  readonly unpaired: number;
  /** The second less the first. */
  readonly passAt1: Estimate | null;
  readonly solved: Estimate | null;
  readonly attempts: Estimate | null;
  readonly tokens: Estimate | null;
  readonly cost: Estimate | null;
  readonly wallSeconds: Estimate | null;
  /** Tasks that only one of the two solves. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
};

export function compareRuns(
  a: BenchRun,
  b: BenchRun,
  names: readonly [string, string] = [a.label, b.label]
): Comparison {
  const ofA = new Map(withResult(a).map(result => [result.task, result]));
  const pairs = withResult(b).flatMap(second => {
    const first = ofA.get(second.task);
    return first ? [{ first, second }] : [];
  });
  const shares = (of: (task: BenchRun['tasks'][number]) => boolean) =>
    pairedShares(
      pairs.map(({ first }) => of(first)),
      pairs.map(({ second }) => of(second))
    );
  const difference = (
    of: (task: BenchRun['tasks'][number]) => number | null
  ) => {
    const values = pairs.map(({ first, second }) => {
      const [before, after] = [of(first), of(second)];
      return before === null || after === null ? null : after - before;
    });
    const known = values.filter(value => value !== null);
    return known.length === values.length ? bootstrapMean(known) : null;
  };
  const onlyOne = (isSecond: boolean) =>
    pairs
      .filter(
        ({ first, second }) =>
          first.solved !== second.solved && second.solved === isSecond
      )
      .map(({ first }) => first.task);
  return {
    a: names[0],
    b: names[1],
    tasks: pairs.length,
    unpaired: ofA.size + withResult(b).length - 2 * pairs.length,
    passAt1: shares(({ solvedBy }) => solvedBy === 1),
    solved: shares(({ solved }) => solved),
    attempts: difference(({ attempts }) => attempts),
    tokens: difference(
      ({ promptTokens, completionTokens }) => promptTokens + completionTokens
    ),
    cost: difference(({ cost }) => cost),
    wallSeconds: difference(({ wallMs }) => wallMs / 1000),
    onlyA: onlyOne(false),
    onlyB: onlyOne(true)
  };
}

function withResult({ tasks }: BenchRun): BenchRun['tasks'] {
  return tasks.filter(({ error }) => error === null);
}

/**
 * Each run of the second report against the run of the first with the same label, or the only one.
 *
 * @throws RefineError kind `input` when no runs or no tasks belong together.
 */
export function compareReports(
  paths: readonly [string, string]
): readonly Comparison[] {
  const [a, b] = [readReport(paths[0]), readReport(paths[1])];
  const pairs = b.runs.flatMap(second => {
    const first =
      a.runs.length === 1
        ? a.runs[0]
        : a.runs.find(({ label }) => label === second.label);
    return first ? [[first, second] as const] : [];
  });
  if (pairs.length === 0) {
    const labels = ({ runs }: BenchReport) =>
      runs.map(({ label }) => label || 'one run').join(', ');
    throw new RefineError(
      'input',
      `${paths[0]} (${labels(a)}) and ${paths[1]} (${labels(b)}) have no run in common.`
    );
  }
  const found = pairs.map(([first, second]) =>
    compareRuns(first, second, [
      [paths[0], first.label].filter(Boolean).join(' '),
      [paths[1], second.label].filter(Boolean).join(' ')
    ])
  );
  if (found.every(({ tasks }) => tasks === 0)) {
    throw new RefineError(
      'input',
      `${paths[0]} and ${paths[1]} have no task in common.`
    );
  }
  return found;
}

/** @throws RefineError kind `input` naming the file and the field. */
export function readReport(path: string): BenchReport {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const why =
      cause instanceof SyntaxError
        ? `not valid JSON: ${cause.message}`
        : fileProblem(cause);
    throw new RefineError('input', `--compare ${path}: ${why}`, { cause });
  }
  const read = reportSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new RefineError(
      'input',
      `--compare ${path}: not a report of jupyter refine bench (${issue?.path.join('.') || 'the file'}: ${issue?.message ?? ''}).`
    );
  }
  return read.data;
}
