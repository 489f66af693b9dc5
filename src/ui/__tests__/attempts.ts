/** Realistic attempts, for tests. */
import type {
  AssertionResult,
  Execution,
  ObservedValue
} from '../../core/domain/execution';
import type { Usage } from '../../core/domain/model';
import type { AttemptState } from '../../core/events/state';
import type { Verdict } from '../../core/domain/verdict';
import { attemptOf } from '../../core/__tests__/states';
import { fakeExecution } from '../../testing/fakeExecutor';

export const PROMPT =
  'Monthly revenue per region from `orders`: a frame `monthly`, regions as columns, missing months 0.';

export function usage(tokens: number, cost: number | null = null): Usage {
  return {
    calls: tokens === 0 ? 0 : 1,
    promptTokens: Math.floor(tokens * 0.7),
    completionTokens: Math.ceil(tokens * 0.3),
    estimated: false,
    cost
  };
}

function value(expression: string, type: string, repr: string): ObservedValue {
  return { expression, type, repr };
}

export const STATEMENTS = [
  'assert list(monthly.columns) == ["EU", "US"]',
  'assert monthly.loc["2024-01", "EU"] == 1200',
  'assert len(monthly) == 12',
  'assert monthly.isna().sum().sum() == 0'
];

/** Results of the four assertions, `passed` of them held: the third, then the others fail. */
export function assertions(passed: number): AssertionResult[] {
  const order = [2, 3, 1, 0];
  const failing = new Set(order.slice(0, 4 - passed));
  return STATEMENTS.map((source, i): AssertionResult => ({
    id: `check:${i + 1}`,
    cellId: 'check',
    role: 'assertion',
    line: i + 1,
    source,
    outcome: failing.has(i) ? 'failed' : 'passed',
    ...(passed === 4 ? { confirmed: true } : {}),
    durationMs: i === 3 ? 2 : 1,
    ...(failing.has(i)
      ? {
          operator: '==',
          expected: value('12', 'int', '12'),
          observed: value('len(monthly)', 'int', '10'),
          difference: 'no rows for 2024-04, 2024-09'
        }
      : {})
  }));
}

const NOT_RUN = assertions(0).map((result): AssertionResult => ({
  ...result,
  outcome: 'not-run',
  expected: undefined,
  observed: undefined,
  difference: undefined
}));

export const HOLDOUT: AssertionResult = {
  id: 'hold:1',
  cellId: 'hold',
  role: 'holdout',
  line: 1,
  source: 'assert monthly.to_numpy().sum() == orders.amount.sum()',
  outcome: 'passed',
  durationMs: 1,
  confirmed: true
};

export const execution = (
  assertions: readonly AssertionResult[],
  change: Partial<Execution> = {}
): Execution =>
  fakeExecution({ assertions, durationMs: 31, totalMs: 39, ...change });

export function verdict(passed: number, total: number): Verdict {
  return {
    evaluator: 'assertions',
    evaluation: passed === total ? 'pass' : 'needs-improvement',
    score: passed / total,
    reasons: [],
    passed,
    total
  };
}

export const attempt = (
  number: number,
  change: Partial<AttemptState> = {}
): AttemptState =>
  attemptOf(number, {
    prompt: [
      { role: 'system', content: 'You write the code of one notebook cell.' },
      { role: 'user', content: PROMPT }
    ],
    code: '',
    verdict: null,
    usage: usage(640, 0.002),
    durationMs: 1900,
    ...change
  });

export const CODE_1 = `idx = pd.period_range(orders.date.min(),
                      orders.date.max(), freq="M")
g = orders.groupby([orders.date.dt.to_period("M"), "Region"]).amount.sum()
monthly = g.unstack("Region").fillna(0)`;

export const CODE_2 = `idx = pd.period_range(orders.date.min(),
                      orders.date.max(), freq="M")
g = orders.groupby([orders.date.dt.to_period("M"), "region"]).amount.sum()
monthly = g.unstack("region").fillna(0)`;

export const CODE_3_PART = `idx = pd.period_range(orders.date.min(),
                      orders.date.max(), freq="M")
g = orders.groupby([orders.date.dt.to_period("M"), "region"]).amount.sum()
monthly = (g.unstack("region")
            .reindex(idx, fill_value=0)`;

export const CODE_3 = `${CODE_3_PART}
            .fillna(0))`;

export const ATTEMPT_1 = attempt(1, {
  code: CODE_1,
  thoughts: 'Group by month and Region.',
  assertions: NOT_RUN,
  execution: execution([], {
    status: 'error',
    error: {
      name: 'KeyError',
      message: "'Region'",
      candidateLine: 3,
      traceback:
        "Traceback (most recent call last):\n  Cell, line 3\n    g = orders.groupby([orders.date.dt.to_period('M'), 'Region'])\nKeyError: 'Region'",
      locals: [
        {
          name: 'orders',
          type: 'DataFrame',
          shape: '(4120, 5)',
          repr: 'columns date, region, amount, …'
        },
        { name: 'idx', type: 'PeriodIndex', shape: '(12,)' }
      ]
    }
  }),
  verdict: { ...verdict(0, 4), evaluation: 'fail' }
});

export const ATTEMPT_2 = attempt(2, {
  code: CODE_2,
  thoughts:
    'Group by month and region, then unstack. The column is lower case.',
  assertions: assertions(3),
  output: '10 rows\n',
  execution: execution(assertions(3), {
    stdout: '10 rows\n'
  }),
  verdict: verdict(3, 4),
  best: true
});

export const ATTEMPT_3_WRITING = attempt(3, {
  phase: 'writing',
  thoughts:
    'Missing months come from the calendar, not from the data. Reindex on all periods.',
  code: CODE_3_PART,
  usage: usage(0),
  durationMs: null
});

export const ATTEMPT_3 = attempt(3, {
  code: CODE_3,
  thoughts: 'Missing months come from the calendar, not from the data.',
  assertions: [...assertions(4), HOLDOUT],
  execution: execution([...assertions(4), HOLDOUT]),
  verdict: verdict(4, 4),
  best: true
});

/** An attempt that passes its assertions and that the scorer measured; null: the scorer failed. */
export function measured(
  number: number,
  value: number | null,
  change: Partial<AttemptState> = {}
): AttemptState {
  const goal = 'min' as const;
  const named = { name: 'RMSE', goal, unit: 'EUR' };
  return attempt(number, {
    code: CODE_2,
    assertions: assertions(4),
    execution: execution(assertions(4), {
      scored:
        value === null
          ? {
              ...named,
              value,
              error: {
                name: 'ZeroDivisionError',
                message: 'division by zero',
                traceback: ''
              }
            }
          : { ...named, value, comment: 'worst in March' }
    }),
    verdict: {
      ...verdict(4, 4),
      evaluator: 'assertions+scorer',
      evaluation: 'needs-improvement',
      score: null,
      ...(value === null ? {} : { metric: { ...named, value } })
    },
    ...change
  });
}
