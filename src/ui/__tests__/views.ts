/** Realistic views of every state of the panel, for tests. */
import type { Isolation } from '../../core/domain/execution';
import type { ModelIdentity } from '../../core/domain/model';
import type { Outcome } from '../../core/domain/outcome';
import type { SessionState } from '../../core/events/state';
import { checkCell, makeRequest } from '../../core/__tests__/requests';
import { stateOf } from '../../core/__tests__/states';
import { FORK_ISOLATION } from '../../testing/fakeExecutor';
import type { CheckView, RefineView, TargetView } from '../../tokens';
import {
  PROMPT,
  usage,
  STATEMENTS,
  CODE_2,
  CODE_3,
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING,
  ATTEMPT_3
} from './attempts';

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

export function checkView(
  given: Partial<CheckView> & Pick<CheckView, 'cellId' | 'label'>
): CheckView {
  return {
    role: 'assertion',
    statements: 1,
    names: [],
    tagged: false,
    problem: null,
    ...given
  };
}

export const TARGET: TargetView = {
  cellId: 'target',
  path: 'orders.ipynb',
  label: 'cell 7',
  kind: 'code',
  language: 'python',
  prompt: PROMPT,
  promptOrigin: 'panel',
  assertions: 4,
  holdouts: 1,
  checks: [
    checkView({ cellId: 'c8', label: 'cell 8', statements: 3 }),
    checkView({ cellId: 'c9', label: 'cell 9', statements: 1, tagged: true }),
    checkView({
      cellId: 'c10',
      label: 'cell 10',
      role: 'holdout',
      tagged: true
    })
  ],
  refused: null
};

export const REQUEST = makeRequest({
  session: 's1',
  path: 'orders.ipynb',
  target: { cellId: 'target', index: 6, kind: 'code', source: '' },
  prompt: PROMPT,
  promptOrigin: 'panel',
  assertions: [checkCell(STATEMENTS.join('\n'), 4)],
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
  }
});

export const session = (change: Partial<SessionState> = {}): SessionState =>
  stateOf([ATTEMPT_1, ATTEMPT_2, ATTEMPT_3_WRITING], {
    session: 's1',
    request: REQUEST,
    model: IDENTITY,
    isolation: FORK_ISOLATION,
    phase: 'writing',
    best: 2,
    usage: usage(2140, 0.004),
    startedAt: Date.now() - 11_200,
    lastAt: Date.now(),
    ...change
  });

export function outcome(change: Partial<Outcome> = {}): Outcome {
  return {
    passed: false,
    checkedBy: 'assertions',
    stopReason: 'max-attempts',
    best: {
      attempt: 2,
      candidate: CODE_2,
      thoughts: '',
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
    thoughts: '',
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
          models: ['demo'],
          defaultModel: 'demo',
          demo: true
        }
      ]
    },
    isolation: FORK_ISOLATION,
    session: null,
    question: null,
    accepted: null,
    cleanCheck: null,
    interrupted: false,
    notice: null,
    ...change
  };
}
