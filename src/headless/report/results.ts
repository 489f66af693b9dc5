/** What became of each notebook and target; the exit status and the lines that say so. */
import type { Confirmation } from '../../core/domain/checks/confirmation';
import { unconfirmedLabel } from '../../core/text/confirmationWords';
import { english } from '../../core/text/english';
import { RefineError } from '../../core/errors';
import { countPassed, type Execution } from '../../core/domain/execution';
import type {
  ChatMessage,
  ModelIdentity,
  Usage
} from '../../core/domain/model';
import type { CleanResult, Outcome } from '../../core/domain/outcome';
import type { Verdict } from '../../core/domain/verdict';
import type { MasterNote } from '../../notebook';
import type { Reason } from './reasons';
import {
  counted,
  onOneLine,
  printable,
  significant,
  type Paint
} from './screen';

export const ExitStatus = {
  passed: 0,
  failed: 1,
  input: 2,
  error: 3,
  interrupted: 130
} as const;

export type Status = keyof typeof ExitStatus;

type Held = { readonly passed: number; readonly total: number };

/** A check cell of a target. */
export type TestResult = {
  readonly cellId: string;
  /** nbgrader's; null for another cell. */
  readonly gradeId: string | null;
  /** Checks that held; of hidden ones all or none. */
  readonly passed: number;
  readonly total: number;
  /** nbgrader's points; null where it has none. */
  readonly maxPoints: number | null;
  /** Why a check of it that held is not confirmed: a clause. Null when all are that held. */
  readonly unconfirmed: string | null;
};

export type TargetResult = {
  readonly cellId: string;
  /** From 0. */
  readonly index: number;
  readonly status: Status;
  /** Null when no session took place. */
  readonly outcome: Outcome | null;
  readonly model: ModelIdentity | null;
  /** Of the best attempt. */
  readonly assertions: Held;
  readonly holdouts: Held;
  /** Of a pass with at least one check; null for others. */
  readonly confirmed: Confirmation | null;
  /** What was done with the notebook's cell. */
  readonly accepted: 'unchanged' | 'inserted' | 'ran' | null;
  /** The pass in a fresh kernel; none: it was not repeated. */
  readonly clean?: CleanResult;
  /** Its check cells, each by itself; empty for `run`. */
  readonly tests: readonly TestResult[];
  /** Why it did not pass; null for a pass. */
  readonly reason: Reason | null;
  /** The same in a sentence, or what is to be said of a pass; empty for nothing. */
  readonly message: string;
};

/** A target of `--dry-run`. */
export type PlannedTarget = {
  readonly path: string;
  readonly cellId: string;
  readonly index: number;
  /** Null where none is configured. */
  readonly model: ModelIdentity | null;
  readonly maxAttempts: number;
  /** Of the first attempt. */
  readonly messages: readonly ChatMessage[];
};

export type NotebookResult = {
  readonly path: string;
  readonly targets: readonly TargetResult[];
  /** Why the notebook as a whole came to an end; null when it did not. */
  readonly problem: {
    readonly status: Status;
    readonly message: string;
  } | null;
  /** File that was written. */
  readonly written: string | null;
  /** Where the tests of the notebook are not those of its master. */
  readonly notes?: readonly MasterNote[];
  /** In place of targets, with `--dry-run`. */
  readonly planned?: readonly PlannedTarget[];
};

/** Points of targets and notebooks. */
type Points = { readonly score: number; readonly max: number };

/** As nbgrader counts: all or nothing. Null: the test has none. */
export function pointsOf({
  passed,
  total,
  maxPoints: max
}: Pick<TestResult, 'passed' | 'total' | 'maxPoints'>): Points | null {
  return max === null
    ? null
    : { score: total > 0 && passed === total ? max : 0, max };
}

/** Of all its tests together; null where none has points. */
function pointsOfTarget({ tests }: Pick<TargetResult, 'tests'>): Points | null {
  const given = tests.map(pointsOf).filter(points => points !== null);
  return given.length === 0
    ? null
    : {
        score: given.reduce((total, { score }) => total + score, 0),
        max: given.reduce((total, { max }) => total + max, 0)
      };
}

/** `1.5`, with two digits at most. */
export function pointsNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** `1.5 of 2 points` */
function pointsText({ score, max }: Points): string {
  return `${pointsNumber(score)} of ${pointsNumber(max)} point${max === 1 ? '' : 's'}`;
}

/**
 * The status of the command.
 *
 * @param strict - a pass counts only when a separate process confirmed each check of it.
 */
export function exitStatus(
  results: readonly NotebookResult[],
  strict: boolean
): number {
  const worst = worstStatus(results);
  const open = results.some(({ targets }) =>
    targets.some(
      ({ status, confirmed }) =>
        status === 'passed' && (!confirmed || confirmed.n < confirmed.of)
    )
  );
  return strict && worst === 'passed' && open
    ? ExitStatus.failed
    : ExitStatus[worst];
}

/** The exit status of a problem: bad input, or configuration, model and kernel. */
export function statusOfError(error: unknown): Status {
  return error instanceof RefineError && error.kind === 'input'
    ? 'input'
    : 'error';
}

/** What went wrong with a notebook, as its result reports it. */
export function problemOf(
  error: unknown
): NonNullable<NotebookResult['problem']> {
  const message = error instanceof Error ? error.message : String(error);
  const isRefused =
    error instanceof RefineError && error.code === 'kernel-refused';
  return {
    status: statusOfError(error),
    message: isRefused
      ? `${message} Run again with --isolation live to allow it.`
      : message
  };
}

/** The most serious status; an interruption above all. */
function worstStatus(results: readonly NotebookResult[]): Status {
  const order: readonly Status[] = ['interrupted', 'error', 'input', 'failed'];
  const found = new Set(
    results.flatMap(({ targets, problem }) => [
      ...targets.map(({ status }) => status),
      ...(problem ? [problem.status] : [])
    ])
  );
  return order.find(status => found.has(status)) ?? 'passed';
}

/** `cell 3 [fibonacci]`: the position from 0, and the id. */
export function cellLabel(cell: {
  readonly index: number;
  readonly cellId: string;
}): string {
  return `cell ${cell.index} [${cell.cellId}]`;
}

/** One line for each target and problem, for people. */
export function resultLines(
  { path, targets, problem }: NotebookResult,
  paint: Paint
): readonly string[] {
  const isSaid = targets.some(
    ({ reason, status }) =>
      reason?.kind === 'not-checked' && status === problem?.status
  );
  const [what = ''] = problem?.message.split('\n') ?? [];
  const named = what.startsWith(path) ? what : `${path}: ${what}`;
  return [
    ...targets.map(target => targetLine(path, target, paint)),
    ...(problem && !isSaid
      ? [`${paint('bad', wordOf(problem.status))}  ${onOneLine(named)}`]
      : [])
  ];
}

function wordOf(status: Status): string {
  return status === 'input' ? 'bad input' : status;
}

function targetLine(path: string, target: TargetResult, paint: Paint): string {
  const { status, outcome, model, message, confirmed, reason } = target;
  const label = confirmed ? unconfirmedLabel(confirmed, english) : '';
  const points = pointsOfTarget(target);
  const recorded = model?.recorded ? ', recorded answers' : '';
  const parts = [
    reason?.kind === 'not-checked' ? '' : heldText(target),
    points ? pointsText(points) : '',
    label,
    metricText(outcome),
    outcome ? attemptText(outcome) : '',
    model && outcome?.attempts
      ? `${model.profile}/${model.model}${recorded}`
      : '',
    // More of it, such as a difference, was shown as it happened.
    message.split('\n')[0],
    target.clean?.passed ? 'also passes in a fresh kernel' : ''
  ];
  const style = status !== 'passed' ? 'bad' : label ? 'warn' : 'good';
  const word = paint(style, wordOf(status));
  const rest = `${path} ${cellLabel(target)}: ${parts.filter(Boolean).join('; ')}`;
  return `${word}  ${onOneLine(rest)}`;
}

/** `rmse 0.42 (min)` of the best attempt. */
function metricText(outcome: Outcome | null): string {
  const metric = outcome?.best?.metric;
  return metric
    ? `${printable(metric.name)} ${significant(metric.value)}${metric.unit ? ` ${metric.unit}` : ''} (${metric.goal})`
    : '';
}

/** `4 of 4 and 1 held out`, `3 of 4`, `2 of 2 held out`. */
function heldText({
  assertions,
  holdouts
}: Pick<TargetResult, 'assertions' | 'holdouts'>): string {
  if (assertions.total + holdouts.total === 0) {
    return 'no checks';
  }
  const shown = `${assertions.passed} of ${assertions.total}`;
  const held = `${holdouts.passed} of ${holdouts.total} held out`;
  return holdouts.total === 0
    ? shown
    : assertions.total === 0
      ? held
      : holdouts.passed === holdouts.total
        ? `${shown} and ${holdouts.total} held out`
        : `${shown}, ${held}`;
}

/** What held in one attempt, counted as in the summary; what the evaluators say where no check ran. */
export function attemptHeldText(
  { evaluation }: Verdict,
  execution: Execution | null
): string {
  const ran = execution?.assertions ?? [];
  return ran.length === 0
    ? evaluation.replace('-', ' ')
    : heldText({
        assertions: countPassed(ran, 'assertion'),
        holdouts: countPassed(ran, 'holdout')
      });
}

function attemptText(outcome: Outcome): string {
  const { best, attempts, passed } = outcome;
  if (best === null) {
    return attempts === 0
      ? ''
      : `no candidate in ${counted(attempts, 'attempt')}`;
  }
  if (best.attempt === 0) {
    return passed || attempts === 0
      ? 'current code'
      : `best: current code, ${counted(attempts, 'attempt')}`;
  }
  return passed
    ? `attempt ${best.attempt}`
    : `best: attempt ${best.attempt} of ${attempts}`;
}

/** `3 calls, 1,234 tokens, $0.0021`; no dollars where no price is known. */
export function usageText({
  calls,
  promptTokens,
  completionTokens,
  estimated,
  cost
}: Usage): string {
  const about = estimated ? 'about ' : '';
  const tokens = (promptTokens + completionTokens).toLocaleString('en-US');
  const dollars = cost === null ? '' : `, $${Number(cost.toPrecision(2))}`;
  return `${counted(calls, 'call')}, ${about}${tokens} tokens${dollars}`;
}

/** The same for machines. */
export function resultsJson(
  command: string,
  version: string,
  results: readonly NotebookResult[],
  strict = false
): object {
  return {
    command,
    version,
    exitStatus: exitStatus(results, strict),
    notebooks: results.map(({ path, targets, problem, written, notes }) => ({
      path,
      written,
      problem,
      ...(notes ? { notes } : {}),
      targets: targets.map(({ outcome, ...target }) => ({
        ...target,
        points: pointsOfTarget(target),
        passed: target.status === 'passed',
        checkedBy: outcome?.checkedBy ?? null,
        stopReason: outcome?.stopReason ?? null,
        attempts: outcome?.attempts ?? 0,
        best: outcome?.best ?? null,
        scoreHistory: outcome?.scoreHistory ?? [],
        usage: outcome?.usage ?? null,
        dispute: outcome?.dispute ?? null,
        error: outcome?.error ?? null
      }))
    }))
  };
}

/** Of code that a session produced and that is in no file, since it was paid for: a heading and the code for each target. */
export function unkeptCodeLines(
  { path, targets, written }: NotebookResult,
  paint: Paint
): readonly string[] {
  return targets.flatMap(target => {
    const best = target.outcome?.best;
    const isKept = written !== null && target.accepted !== null;
    return !best || best.attempt === 0 || isKept || !best.candidate.trim()
      ? []
      : [
          '',
          paint(
            'strong',
            `Best candidate of ${path} ${cellLabel(target)}, ${heldText(target)}:`
          ),
          ...printable(best.candidate).trimEnd().split('\n')
        ];
  });
}
