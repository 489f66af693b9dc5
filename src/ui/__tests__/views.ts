/** Realistic views of every state of the panel, for tests and for the gallery of screenshots. */
import type {
  AssertionResult,
  Execution,
  Isolation,
  ObservedValue
} from '../../core/execution';
import type { ModelIdentity, Usage } from '../../core/model';
import type { Outcome } from '../../core/outcome';
import type { RefineRequest } from '../../core/request';
import { settingsSchema } from '../../core/settings';
import type { AttemptState, SessionState } from '../../core/state';
import type { Verdict } from '../../core/verdict';
import type { RefineView, TargetView } from '../../tokens';

export const PROMPT =
  'Monthly revenue per region from `orders`: a frame `monthly`, regions as columns, missing months 0.';

export const ISOLATED: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};

export const LIVE: Isolation = {
  mode: 'live',
  memory: false,
  files: 'open',
  network: false,
  reasons: ['The kernel runs R; only Python kernels can be copied.']
};

export const IDENTITY: ModelIdentity = {
  profile: 'ollama',
  model: 'qwen2.5-coder:32b',
  host: 'localhost:11434',
  recorded: false
};

export const TARGET: TargetView = {
  cellId: 'target',
  path: 'orders.ipynb',
  label: 'cell 7',
  kind: 'code',
  prompt: PROMPT,
  promptFromNotebook: false,
  assertions: 4,
  holdouts: 1,
  candidatesForAssertion: [],
  refused: null
};

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

const STATEMENTS = [
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

export const HOLDOUT: AssertionResult = {
  id: 'hold:1',
  cellId: 'hold',
  role: 'holdout',
  line: 1,
  source: 'assert monthly.to_numpy().sum() == orders.amount.sum()',
  outcome: 'passed',
  durationMs: 1
};

export function execution(
  results: readonly AssertionResult[],
  change: Partial<Execution> = {}
): Execution {
  return {
    id: 'e',
    status: 'completed',
    assertions: results,
    stdout: '',
    stderr: '',
    displays: [],
    isolation: ISOLATED,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 31,
    totalMs: 39,
    ...change
  };
}

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

export function attempt(
  number: number,
  change: Partial<AttemptState> = {}
): AttemptState {
  return {
    attempt: number,
    phase: 'ended',
    prompt: [
      { role: 'system', content: 'You write the code of one notebook cell.' },
      { role: 'user', content: PROMPT }
    ],
    thoughts: '',
    code: '',
    title: '',
    assertions: [],
    output: '',
    execution: null,
    verdict: null,
    feedback: null,
    usage: usage(640, 0.002),
    durationMs: 1900,
    best: false,
    repeatOf: null,
    failure: null,
    ...change
  };
}

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
  title: "KeyError: 'Region' — column is 'region'",
  thoughts: 'Group by month and Region.',
  assertions: assertions(0).map(result => ({
    ...result,
    outcome: 'not-run',
    expected: undefined,
    observed: undefined,
    difference: undefined
  })),
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
  title: 'Group by month and region, then unstack',
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
  title: 'Missing months come from the calendar',
  thoughts: 'Missing months come from the calendar, not from the data.',
  assertions: [...assertions(4), HOLDOUT],
  execution: execution([...assertions(4), HOLDOUT]),
  verdict: verdict(4, 4),
  best: true
});

export const REQUEST: RefineRequest = {
  session: 's1',
  path: 'orders.ipynb',
  language: 'python',
  target: { cellId: 'target', index: 6, kind: 'code', source: '' },
  prompt: PROMPT,
  promptOrigin: 'panel',
  assertions: [
    {
      cellId: 'check',
      index: 7,
      role: 'assertion',
      source: STATEMENTS.join('\n'),
      statements: 4
    }
  ],
  holdouts: [],
  context: {
    cells: Array.from({ length: 6 }, (_, index) => ({
      cellId: `c${index}`,
      index,
      kind: 'code',
      source: 'import pandas as pd',
      cut: false
    })),
    cellsLeftOut: 0,
    variables: ['orders', 'pd', 'regions'].map(name => ({
      name,
      type: 'object'
    })),
    values: 'types'
  },
  options: settingsSchema.parse({})
};

export function session(change: Partial<SessionState> = {}): SessionState {
  return {
    session: 's1',
    request: REQUEST,
    model: IDENTITY,
    isolation: ISOLATED,
    phase: 'writing',
    waiting: null,
    paused: false,
    attempts: [ATTEMPT_1, ATTEMPT_2, ATTEMPT_3_WRITING],
    best: 2,
    scoreHistory: [0, 0.75],
    usage: usage(2140, 0.004),
    warnings: [],
    hints: [],
    startedAt: Date.now() - 11_200,
    lastAt: Date.now(),
    outcome: null,
    ...change
  };
}

export function outcome(change: Partial<Outcome> = {}): Outcome {
  return {
    passed: false,
    checkedBy: 'assertions',
    stopReason: 'max-attempts',
    best: {
      attempt: 2,
      candidate: CODE_2,
      evaluation: 'needs-improvement',
      score: 0.75,
      passed: 3,
      total: 4
    },
    attempts: 5,
    scoreHistory: [0, 0.75, 0.75, 0.75, 0.75],
    converged: false,
    usage: usage(4310, 0.011),
    modelMs: 9000,
    kernelMs: 300,
    ...change
  };
}

export const PASSED: Outcome = outcome({
  passed: true,
  stopReason: 'passed',
  best: {
    attempt: 3,
    candidate: CODE_3,
    evaluation: 'pass',
    score: 1,
    passed: 4,
    total: 4
  },
  attempts: 3,
  scoreHistory: [0, 0.75, 1],
  converged: true,
  usage: usage(2780, 0.006)
});

/** An ended session with this outcome. */
export function ended(
  end: Outcome,
  change: Partial<SessionState> = {}
): SessionState {
  const now = Date.now();
  return session({
    phase: 'ended',
    outcome: end,
    attempts: end.passed
      ? [ATTEMPT_1, { ...ATTEMPT_2, best: false }, ATTEMPT_3]
      : [ATTEMPT_1, ATTEMPT_2],
    best: end.best?.attempt ?? null,
    scoreHistory: end.scoreHistory,
    usage: end.usage,
    startedAt: now - 9800,
    lastAt: now,
    ...change
  });
}

export function view(change: Partial<RefineView> = {}): RefineView {
  return {
    target: TARGET,
    models: {
      status: 'ready',
      identity: IDENTITY,
      profiles: [
        {
          name: 'ollama',
          host: 'localhost:11434',
          models: ['qwen2.5-coder:32b', 'llama3.1:8b'],
          defaultModel: 'qwen2.5-coder:32b',
          demo: false
        },
        {
          name: 'demo',
          host: 'recorded',
          models: ['recorded'],
          defaultModel: 'recorded',
          demo: true
        }
      ]
    },
    isolation: ISOLATED,
    session: null,
    question: null,
    accepted: null,
    cleanCheck: null,
    interrupted: false,
    notice: null,
    ...change
  };
}
