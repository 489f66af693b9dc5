/** The report as tables of text: what Markdown and the page both show. */
import { counted } from '../../report/text';
import { compareRuns, type Comparison } from '../compare';
import type { BenchReport } from '../results';
import type { Estimate } from '../statistics';
import { summaryOf, type FailureCount, type Summary } from '../summary';

export type Table = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

export type Report = {
  readonly title: string;
  /** Sentences on what was run. */
  readonly about: readonly string[];
  readonly summaries: readonly Summary[];
  readonly comparisons: readonly Comparison[];
  readonly tables: readonly Table[];
};

/** What a run without a label is called. */
const ONLY = 'Value';

export function reportOf(report: BenchReport): Report {
  const { runs, tasksFile, model, leftOut, workers, version } = report;
  const summaries = runs.map(summaryOf);
  const [first, ...others] = runs;
  const comparisons = first ? others.map(run => compareRuns(first, run)) : [];
  const errors = summaries.reduce((sum, one) => sum + one.errors, 0);
  return {
    title: `Benchmark of ${model}`,
    about: [
      `${counted(runs[0]?.tasks.length ?? 0, 'task')} of ${tasksFile}, at most ${attemptsText(runs)} each, ${workers} at a time. jupyter refine ${version}.`,
      ...(leftOut > 0
        ? [`Left out without an answer: ${counted(leftOut, 'task')}.`]
        : []),
      ...(errors > 0
        ? [
            `Without a result, and in no figure: ${counted(errors, 'task')}. The model or the machine failed.`
          ]
        : []),
      'Intervals are at 95 %: Wilson’s for shares, Newcombe’s for differences of shares, bootstrap for means.'
    ],
    summaries,
    comparisons,
    tables: [
      figures(summaries),
      attemptsTable(summaries),
      ...summaries.map(failures).filter(({ rows }) => rows.length > 0),
      ...(comparisons.length > 0 ? [comparisonTable(comparisons)] : [])
    ]
  };
}

function attemptsText(runs: BenchReport['runs']): string {
  const most = [...new Set(runs.map(({ maxAttempts }) => maxAttempts))];
  return `${most.join(' or ')} attempt${most.every(one => one === 1) ? '' : 's'}`;
}

function figures(summaries: readonly Summary[]): Table {
  const row = (name: string, of: (summary: Summary) => string) => [
    name,
    ...summaries.map(of)
  ];
  const perTask = (digits: number) => (estimate: Estimate | null) =>
    numberText(estimate, digits);
  const about = summaries.some(({ isEstimated }) => isEstimated)
    ? ', estimated'
    : '';
  // Recorded answers used none.
  const isModel = summaries.some(one => (one.promptTokens?.value ?? 0) > 0);
  return {
    title: 'Results',
    head: ['', ...summaries.map(({ label }) => label || ONLY)],
    rows: [
      row('Tasks', ({ tasks }) => String(tasks)),
      row('pass@1', ({ passAt1 }) => shareText(passAt1)),
      row('Solved', ({ solvedWithin }) =>
        shareText(solvedWithin.at(-1) ?? null)
      ),
      row('Attempts per task', ({ attempts }) => perTask(2)(attempts)),
      row('Attempts per solved task', ({ attemptsOfSolved }) =>
        perTask(2)(attemptsOfSolved)
      ),
      row('Solved, not all checks confirmed', ({ unconfirmed }) =>
        String(unconfirmed)
      ),
      ...(isModel
        ? [
            row(`Prompt tokens per task${about}`, ({ promptTokens }) =>
              perTask(0)(promptTokens)
            ),
            row(`Output tokens per task${about}`, ({ completionTokens }) =>
              perTask(0)(completionTokens)
            ),
            row('Cost per task, $', ({ cost }) =>
              cost === null ? 'unknown' : perTask(5)(cost)
            ),
            row('Cost of all tasks, $', ({ totalCost }) =>
              totalCost === null
                ? 'unknown'
                : String(Number(totalCost.toFixed(4)))
            )
          ]
        : []),
      row('Wall time per task, s', ({ wallSeconds }) =>
        perTask(3)(wallSeconds)
      ),
      row('of that, model, s', ({ modelSeconds }) => perTask(3)(modelSeconds)),
      row('of that, executions, s', ({ kernelSeconds }) =>
        perTask(3)(kernelSeconds)
      ),
      row('CPU time of executions per task, s', ({ cpuSeconds }) =>
        cpuSeconds === null ? 'unknown' : perTask(3)(cpuSeconds)
      )
    ]
  };
}

function attemptsTable(summaries: readonly Summary[]): Table {
  const most = Math.max(...summaries.map(({ histogram }) => histogram.length));
  return {
    title: 'Attempts',
    head: [
      'Attempts',
      ...summaries.flatMap(({ label }) => [
        `${label ? `${label}: ` : ''}solved by this one`,
        `${label ? `${label}: ` : ''}solved within`
      ])
    ],
    rows: [
      ...Array.from({ length: most }, (_, at) => [
        String(at + 1),
        ...summaries.flatMap(({ histogram, solvedWithin }) => [
          String(histogram[at] ?? ''),
          solvedWithin[at] === undefined ? '' : shareText(solvedWithin[at])
        ])
      ]),
      [
        'Not solved',
        ...summaries.flatMap(({ unsolved }) => [String(unsolved), ''])
      ]
    ]
  };
}

const KINDS: Readonly<Record<string, string>> = {
  'wrong-value': 'wrong value',
  'error-in-check': 'error when called by a check',
  error: 'error in the program',
  syntax: 'syntax error',
  'missing-module': 'missing module',
  'no-code': 'no program in the answer',
  'not-accepted': 'not accepted',
  'no-checks': 'nothing checked',
  'hidden-test': 'hidden test',
  limit: 'other limit',
  hang: 'time limit',
  memory: 'memory limit',
  output: 'output limit',
  fault: 'fault of the harness'
};

export function kindText(kind: string): string {
  return KINDS[kind] ?? kind;
}

function failures({ label, failures }: Summary): Table {
  return {
    title: `Failures${label ? `, ${label}` : ''}`,
    head: ['Kind', 'Attempts', 'First attempts', 'Last attempts, not solved'],
    rows: failures.map(({ kind, attempts, first, last }: FailureCount) => [
      kindText(kind),
      String(attempts),
      String(first),
      String(last)
    ])
  };
}

export function comparisonTable(comparisons: readonly Comparison[]): Table {
  return {
    title: 'Differences on the same tasks',
    head: [
      'Compared',
      'Tasks',
      'pass@1, points',
      'Solved, points',
      'Solved only by one (first, second)',
      'Attempts',
      'Tokens',
      'Cost, $',
      'Wall time, s'
    ],
    rows: comparisons.map(one => [
      `${one.b} − ${one.a}`,
      one.unpaired > 0
        ? `${one.tasks} (${one.unpaired} not in both)`
        : String(one.tasks),
      pointsText(one.passAt1),
      pointsText(one.solved),
      `${one.onlyA.length}, ${one.onlyB.length}`,
      numberText(one.attempts, 2, true),
      numberText(one.tokens, 0, true),
      one.cost === null ? 'unknown' : numberText(one.cost, 5, true),
      numberText(one.wallSeconds, 3, true)
    ])
  };
}

/** `45.5 % (42.4–48.6)` */
export function shareText(share: Estimate | null): string {
  const percent = (value: number) => (100 * value).toFixed(1);
  return share === null
    ? '–'
    : `${percent(share.value)} % (${percent(share.low)}–${percent(share.high)})`;
}

/** `+18.5 (+15.2 to +21.7)` */
function pointsText(difference: Estimate | null): string {
  return difference === null
    ? '–'
    : numberText(
        {
          value: 100 * difference.value,
          low: 100 * difference.low,
          high: 100 * difference.high
        },
        1,
        true
      );
}

/** `1.97 (1.88–2.06)`; with signs `+0.10 (−0.02 to +0.22)`. */
function numberText(
  estimate: Estimate | null,
  digits: number,
  signed = false
): string {
  const text = (value: number) => {
    const shown = Math.abs(value).toFixed(digits);
    const isZero = Number(shown) === 0;
    return signed && !isZero
      ? `${value < 0 ? '−' : '+'}${shown}`
      : `${!signed && value < 0 ? '−' : ''}${shown}`;
  };
  return estimate === null
    ? '–'
    : `${text(estimate.value)} (${text(estimate.low)}${signed ? ' to ' : '–'}${text(estimate.high)})`;
}
