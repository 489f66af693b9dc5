/**
 * Runs of the published scored loop, executionkit 0.4.0's `refine_loop`: how
 * they are recorded, a few of them, and where ours is to differ.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** One recorded run; a score of null stood for NaN, `RAISE` for an evaluator that raises. */
export type RecordedRun = {
  readonly name: string;
  readonly args: {
    readonly target_score?: number;
    readonly max_iterations?: number;
    readonly patience?: number;
    /** 0: no limit. */
    readonly max_cost?: { readonly llm_calls: number };
  };
  readonly scores: readonly (number | null | 'RAISE')[] | null;
  /** What the built-in judge's model answers. */
  readonly judge: readonly string[] | null;
  readonly result?: {
    readonly value: string;
    readonly score: number;
    readonly iterations: number;
    readonly converged: boolean;
    readonly score_history: readonly number[];
    readonly llm_calls: number;
  };
  readonly raises?: { readonly type: string; readonly msg: string };
  readonly provider_calls: number;
  /** Iteration, text and score of each candidate that was scored. */
  readonly checkpoints: readonly (readonly [number, string, number | null])[];
};

/** What a run gave, theirs or ours, in one line that both can be compared by. */
export type RunSummary = {
  readonly best: string | null;
  readonly score: number | null;
  readonly history: readonly (number | null)[];
  readonly calls: number;
  readonly converged: boolean;
};

export function describeRun(run: RunSummary): string {
  const best =
    run.best === null ? 'no best' : `best ${run.best} at ${score(run.score)}`;
  return [
    `scores ${run.history.map(score).join(', ') || 'none'}`,
    best,
    `${run.calls} ${run.calls === 1 ? 'call' : 'calls'}`,
    ...(run.converged ? ['converged'] : [])
  ].join('; ');
}

/** What executionkit gave: a result, or an error that takes everything with it. */
export function describeRecorded(run: RecordedRun): string {
  const { result, raises, provider_calls: calls } = run;
  return result
    ? describeRun({
        best: result.value,
        score: result.score,
        history: result.score_history,
        calls,
        converged: result.converged
      })
    : `${raises!.type} after ${calls} ${calls === 1 ? 'call' : 'calls'}`;
}

function score(value: number | null): string {
  return value === null ? 'none' : String(value);
}

/** What a run gave there and gives here, by its name: the tables of docs/conformance.md. */
export const DIFFERENCES: Readonly<
  Record<string, { readonly theirs: string; readonly ours: string }>
> = Object.fromEntries(
  readFileSync(resolve(__dirname, '../../../../docs/conformance.md'), 'utf8')
    .split('\n')
    .flatMap(line => {
      const [, name = '', theirs = '', ours = ''] =
        /^\| `(.*?)` +\| (.*?) +\| (.*?) +\|$/.exec(line) ?? [];
      return name === '' ? [] : [[name, { theirs, ours }]];
    })
);

type Parts = Omit<Partial<RecordedRun>, 'result'> & {
  readonly name: string;
  readonly best?: string;
  readonly history?: readonly number[];
  readonly converged?: boolean;
};

/** A run with scores, each candidate of which is v0, v1 … and scored once. */
function recorded({ best, history, converged, ...parts }: Parts): RecordedRun {
  const scores = history ?? [];
  const calls = parts.judge ? scores.length * 2 : scores.length;
  const run: RecordedRun = {
    args: {},
    scores: null,
    judge: null,
    provider_calls: calls,
    checkpoints: scores.map((value, i) => [i, `v${i}`, value] as const),
    ...parts
  };
  return best === undefined
    ? run
    : {
        ...run,
        result: {
          value: best,
          score: Math.max(...scores),
          iterations: scores.length - 1,
          converged: converged ?? false,
          score_history: scores,
          llm_calls: calls
        }
      };
}

const HALF = [0.5, 0.5, 0.5, 0.5];
const SWING = [0.2, 0.6, 0.2, 0.6, 0.2, 0.6, 0.2];
const ANEW = [0.5, 0.5, 0.8, 0.8, 0.8, 0.8];

/** Measured with executionkit 0.4.0 as well, and small enough to be kept here. */
export const OWN_RUNS: readonly RecordedRun[] = [
  recorded({
    name: 'own:the target later',
    args: { target_score: 0.85, max_iterations: 4, patience: 2 },
    scores: [0.72, 0.86, 0.91],
    history: [0.72, 0.86],
    best: 'v1',
    converged: true
  }),
  recorded({
    name: 'own:a plateau',
    args: { target_score: 0.99, max_iterations: 10 },
    scores: HALF,
    history: HALF,
    best: 'v0',
    converged: true
  }),
  recorded({
    name: 'own:a swinging score',
    args: { target_score: 0.99, max_iterations: 6, patience: 2 },
    scores: SWING,
    history: SWING,
    best: 'v1'
  }),
  recorded({
    name: 'own:patience begins anew',
    args: { target_score: 0.99, max_iterations: 10 },
    scores: ANEW,
    history: ANEW,
    best: 'v2',
    converged: true
  }),
  recorded({
    name: 'own:movement by little more than the threshold',
    args: { target_score: 0.99, max_iterations: 3, patience: 2 },
    scores: [0.5, 0.51, 0.52, 0.53],
    history: [0.5, 0.51, 0.52, 0.53],
    best: 'v3'
  }),
  recorded({
    name: 'own:a target of 0',
    args: { target_score: 0 },
    scores: [0],
    history: [0],
    best: 'v0',
    converged: true
  }),
  recorded({
    name: 'own:a plateau at 0 below a better one',
    args: { patience: 2 },
    scores: [0.4, 0, 0, 0],
    history: [0.4, 0, 0, 0],
    best: 'v0',
    converged: true
  }),
  recorded({
    name: 'own:a judge asked twice',
    args: { max_iterations: 1 },
    judge: ['5', '9/10'],
    history: [0.5, 0.9],
    best: 'v1',
    converged: true
  }),
  recorded({
    name: 'own:patience of 0',
    args: { patience: 0 },
    scores: [0.1],
    raises: { type: 'ValueError', msg: 'patience must be >= 1, got 0' }
  }),
  recorded({
    name: 'own:a plateau at 0',
    args: { patience: 2 },
    scores: [0],
    history: [0, 0, 0],
    best: 'v0',
    converged: true
  }),
  recorded({
    name: 'own:the budget ends after a good one',
    args: { max_cost: { llm_calls: 2 } },
    scores: [0.3, 0.6],
    history: [0.3, 0.6],
    raises: {
      type: 'BudgetExhaustedError',
      msg: 'LLM call budget exhausted before dispatch'
    }
  }),
  recorded({
    name: 'own:no number after a good one',
    args: { max_iterations: 3 },
    scores: [0.3, null, 0.95],
    provider_calls: 2,
    checkpoints: [
      [0, 'v0', 0.3],
      [1, 'v1', null]
    ],
    raises: { type: 'ValueError', msg: 'Invalid score: nan' }
  }),
  recorded({
    name: 'own:a scale that is named',
    args: { max_iterations: 1 },
    judge: ['0-10 scale: 8', '9'],
    history: [0, 0.9],
    best: 'v1',
    converged: true
  }),
  recorded({
    name: 'own:a fraction without its scale',
    args: { max_iterations: 0 },
    judge: ['0.8'],
    history: [0.08],
    best: 'v0'
  })
];
