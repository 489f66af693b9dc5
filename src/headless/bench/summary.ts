/** The figures of one run, from the results of its tasks. */
import { bootstrapMean, wilson, type Estimate } from './statistics';
import type { BenchRun, TaskResult } from './results';

export type FailureCount = {
  readonly kind: string;
  /** Attempts that failed in this way. */
  readonly attempts: number;
  /** Tasks whose first attempt did. */
  readonly first: number;
  /** Tasks whose last attempt did, and which are not solved. */
  readonly last: number;
};

export type Summary = {
  readonly label: string;
  /** Tasks with a result; all figures are about these. */
  readonly tasks: number;
  /** Tasks without one: the model or the machine failed. */
  readonly errors: number;
  readonly passAt1: Estimate | null;
  /** Solved within 1, 2, … attempts of one session. */
  readonly solvedWithin: readonly (Estimate | null)[];
  /** Attempts of a task, and of a task that was solved. */
  readonly attempts: Estimate | null;
  readonly attemptsOfSolved: Estimate | null;
  /** Tasks that were solved by attempt 1, 2, … */
  readonly histogram: readonly number[];
  readonly unsolved: number;
  /** Solved tasks of which a check was not confirmed by a second process. */
  readonly unconfirmed: number;
  readonly promptTokens: Estimate | null;
  readonly completionTokens: Estimate | null;
  readonly isEstimated: boolean;
  /** Of one task, US dollars; null where a price is not known. */
  readonly cost: Estimate | null;
  readonly totalCost: number | null;
  /** Of one task, seconds. */
  readonly wallSeconds: Estimate | null;
  readonly modelSeconds: Estimate | null;
  readonly kernelSeconds: Estimate | null;
  readonly cpuSeconds: Estimate | null;
  readonly failures: readonly FailureCount[];
};

export function summaryOf({ label, maxAttempts, tasks }: BenchRun): Summary {
  const counted = tasks.filter(({ error }) => error === null);
  const solved = counted.filter(task => task.solved);
  const mean = (of: (task: TaskResult) => number, from = counted) =>
    bootstrapMean(from.map(of));
  const within = Array.from({ length: maxAttempts }, (_, at) =>
    wilson(
      solved.filter(({ solvedBy }) => (solvedBy ?? 0) <= at + 1).length,
      counted.length
    )
  );
  const costs = counted.flatMap(({ cost }) => cost ?? []);
  const isPriced = costs.length === counted.length;
  const isTimed = counted.every(({ cpuMs }) => cpuMs !== null);
  return {
    label,
    tasks: counted.length,
    errors: tasks.length - counted.length,
    passAt1: within[0] ?? null,
    solvedWithin: within,
    attempts: mean(({ attempts }) => attempts),
    attemptsOfSolved: mean(({ attempts }) => attempts, solved),
    histogram: within.map(
      (_, at) => solved.filter(({ solvedBy }) => solvedBy === at + 1).length
    ),
    unsolved: counted.length - solved.length,
    unconfirmed: solved.filter(
      ({ confirmed }) => confirmed === null || confirmed.n < confirmed.of
    ).length,
    promptTokens: mean(({ promptTokens }) => promptTokens),
    completionTokens: mean(({ completionTokens }) => completionTokens),
    isEstimated: counted.some(({ estimated }) => estimated),
    cost: isPriced ? bootstrapMean(costs) : null,
    totalCost: isPriced ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    wallSeconds: mean(({ wallMs }) => wallMs / 1000),
    modelSeconds: mean(({ modelMs }) => modelMs / 1000),
    kernelSeconds: mean(({ kernelMs }) => kernelMs / 1000),
    cpuSeconds: isTimed ? mean(({ cpuMs }) => (cpuMs ?? 0) / 1000) : null,
    failures: failuresOf(counted)
  };
}

/** Most frequent first. */
function failuresOf(tasks: readonly TaskResult[]): readonly FailureCount[] {
  const counts = new Map<
    string,
    { attempts: number; first: number; last: number }
  >();
  for (const { failures, solved } of tasks) {
    failures.forEach((failure, at) => {
      if (failure === null) {
        return;
      }
      const { kind } = failure;
      const count = counts.get(kind) ?? { attempts: 0, first: 0, last: 0 };
      counts.set(kind, count);
      count.attempts++;
      count.first += Number(at === 0);
      count.last += Number(!solved && at === failures.length - 1);
    });
  }
  return [...counts]
    .map(([kind, count]) => ({ kind, ...count }))
    .sort((a, b) => b.attempts - a.attempts);
}
