/** @jest-environment node */
import type { RefineEvent } from '../../../core/events/events';
import type {
  AssertionResult,
  Execution,
  Isolation
} from '../../../core/domain/execution';
import { fold, initialState } from '../../../core/events/fold';
import { NO_USAGE } from '../../../core/domain/model';
import { settingsSchema } from '../../../core/settings';
import { Progress } from '../progress';
import { createScreen } from '../screen';
import { fakeExecution } from '../../../testing/fakeExecutor';

type Body = RefineEvent extends infer Event
  ? Event extends RefineEvent
    ? Omit<Event, 'at' | 'session'>
    : never
  : never;

const isolation: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'open',
  network: true,
  reasons: ['No user namespaces.']
};
const start: Body = {
  type: 'session-start',
  request: {
    session: 's',
    path: 'n.ipynb',
    language: 'python',
    target: { cellId: 't', index: 0, kind: 'code', source: '' },
    prompt: '',
    promptOrigin: 'none',
    assertions: [],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: settingsSchema.parse({ maxAttempts: 3 })
  },
  model: { profile: 'demo', model: 'demo', host: '', recorded: true },
  isolation
};

function assertion(fields: Partial<AssertionResult>): AssertionResult {
  return {
    id: 'a:1',
    cellId: 'a',
    role: 'assertion',
    line: 1,
    source: 'assert f(1) == 1',
    outcome: 'passed',
    durationMs: 1,
    ...fields
  };
}

const execution = (fields: Partial<Execution>) =>
  fakeExecution({ isolation, ...fields });

function shown(bodies: readonly Body[]): string {
  let written = '';
  const progress = new Progress(
    createScreen({ write: text => (written += text) }, {})
  );
  let state = initialState('s');
  for (const body of bodies) {
    const event = { ...body, at: 0, session: 's' } as RefineEvent;
    state = fold(state, event);
    progress.event(event, state);
  }
  return written;
}

const attempt = 1;
const begin: Body = {
  type: 'attempt-start',
  attempt,
  prompt: []
};
const written: Body = {
  type: 'candidate-end',
  attempt,
  thoughts: '',
  code: 'x = 1'
};
const ended = (
  fields: Partial<Extract<Body, { type: 'attempt-end' }>> = {}
): Body => ({
  type: 'attempt-end',
  attempt,
  verdict: {
    evaluator: 'assertions',
    evaluation: 'needs-improvement',
    score: 0.5,
    reasons: [],
    passed: 1,
    total: 2
  },
  usage: NO_USAGE,
  durationMs: 1234,
  best: true,
  ...fields
});

it('shows thoughts and code, then the checks', () => {
  const failed = assertion({
    outcome: 'failed',
    source: 'assert f(2) == 3',
    expected: { expression: '3', type: 'int', repr: '3' },
    observed: { expression: 'f(2)', type: 'int', repr: '2' },
    difference: '1 too low'
  });
  const heldOut = assertion({ role: 'holdout', outcome: 'not-run' });
  expect(
    shown([
      start,
      begin,
      { ...written, thoughts: 'Let me see.\n', code: 'x = 1\ny = 2' },
      {
        type: 'execution-end',
        attempt,
        execution: execution({
          assertions: [assertion({}), failed, heldOut],
          stdout: 'hello\n'
        })
      },
      ended()
    ])
  ).toBe(`  model demo/demo, recorded answers
  isolated: memory, network; not: files
  Files that it writes or deletes are changed for real.
  No user namespaces.
Attempt 1 of 3 (recorded answer)
  │ Let me see.
  │ x = 1
  │ y = 2
  ✓ assert f(1) == 1
  ✗ assert f(2) == 3
      expected  3
      observed  2
      1 too low
  · 1 check not run
  » hello
  1 of 2, 0 of 1 held out, 1.2 s
`);
});

describe('a pass', () => {
  const passed = (assertions: readonly AssertionResult[]) =>
    shown([
      begin,
      written,
      { type: 'execution-end', attempt, execution: execution({ assertions }) },
      ended()
    ]);

  it('says once that no check could be confirmed', () => {
    const text = passed([assertion({}), assertion({ id: 'a:2' })]);
    expect(text.match(/not confirmed: /g)).toHaveLength(1);
    expect(text).toContain(
      'not confirmed: this kernel has no separate process to confirm it'
    );
  });
});

it.each<[Partial<Execution>, string]>([
  [
    {
      status: 'error',
      error: {
        name: 'KeyError',
        message: "'a'\nmore",
        traceback: '',
        candidateLine: 3
      }
    },
    "  ✗ KeyError: 'a' … (line 3)\n"
  ],
  [
    {
      status: 'cut',
      stop: 'timeout',
      stopMessage: 'timeout: limit 2 s, used 2.0 s'
    },
    '  ✗ timeout: limit 2 s, used 2.0 s\n'
  ],
  [
    { denied: ['tried to reach example.org:443'] },
    '  denied: tried to reach example.org:443\n'
  ],
  [
    {
      assertions: [assertion({ outcome: 'failed' })],
      denied: ['tried to write data.csv']
    },
    '  denied: tried to write data.csv\n  --allow-writes allows it.\n'
  ],
  [
    {
      assertions: [
        assertion({
          outcome: 'error',
          error: { name: 'TypeError', message: 'bad', traceback: '' }
        })
      ]
    },
    '      TypeError: bad\n'
  ],
  [
    {
      assertions: [
        assertion({
          outcome: 'failed',
          error: { name: 'AssertionError', message: 'too slow', traceback: '' }
        })
      ]
    },
    '      too slow\n'
  ],
  [
    {
      stdout: Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n'),
      status: 'completed'
    },
    '  » line 20\n'
  ]
])('prints %j', (fields, expected) => {
  expect(
    shown([
      begin,
      written,
      { type: 'execution-end', attempt, execution: execution(fields) }
    ])
  ).toContain(expected);
});

it('says once what an execution says and an event repeats', () => {
  const text = shown([
    begin,
    {
      type: 'execution-end',
      attempt,
      execution: execution({ tampering: ['assert'], warnings: ['y is gone'] })
    },
    { type: 'tamper', attempt, message: 'assert' },
    { type: 'warning', attempt, message: 'y is gone' },
    { type: 'warning', attempt, message: 'something else' },
    written,
    ended({})
  ]);
  expect(text.split('not trusted: assert')).toHaveLength(2);
  expect(text.split('y is gone')).toHaveLength(2);
  expect(text.split('something else')).toHaveLength(2);
});
