/** Nothing of the hold-out stage but one bit is in any request to a model. */
import { fakeAssertion, FakeExecutor } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import type { AssertionResult, Execution, ExecutionError } from '../execution';
import type { ExecutionJob } from '../executor';
import { FEEDBACK_NAMES, type RefineOptions } from '../../settings';
import { sealHoldouts, visibleExecution } from '../visible';
import { fakeExecution } from '../../../testing/fakeExecutor';
import { checkCell, makeRequest } from '../../__tests__/requests';
import { answer, run } from '../../__tests__/sessions';

/** Is in every text of the hold-out stage, and nowhere else. */
const CANARY = 'canary';
const NUMBER = 774411;

const error: ExecutionError = {
  name: `${CANARY}Error`,
  message: `${CANARY} in the message`,
  traceback: `File "<check 2>", line 1\n${CANARY} ${NUMBER}`,
  candidateLine: 1,
  locals: [{ name: CANARY, type: CANARY, repr: CANARY }]
};

function holdout(
  line: number,
  outcome: AssertionResult['outcome']
): AssertionResult {
  const value = { expression: CANARY, type: CANARY, repr: CANARY };
  return fakeAssertion({
    id: `holdout:${line}`,
    cellId: 'holdout',
    role: 'holdout',
    line,
    source: `assert ${CANARY}(${NUMBER})`,
    outcome,
    durationMs: NUMBER,
    operator: CANARY,
    expected: value,
    observed: value,
    operands: [value],
    difference: CANARY,
    confirmed: false,
    unconfirmed: CANARY,
    error
  });
}

/** Everything that a hold-out stage can carry, as an executor that does not separate the stages gives it. */
const STAGE: Partial<Execution> = {
  stdout: `${CANARY} ${NUMBER}`,
  stderr: CANARY,
  displays: [{ mime: 'text/plain', data: CANARY }],
  filesWritten: [`/tmp/${CANARY}`],
  denied: [
    `tried to reach ${CANARY}.example.org:443`,
    `tried to write ${CANARY}.txt`
  ],
  tampering: [`${CANARY}(${NUMBER}) is equal to anything`],
  warnings: [`${CANARY} was changed`],
  confirmMs: NUMBER,
  durationMs: NUMBER,
  totalMs: NUMBER
};

const visible = (line: number, outcome: AssertionResult['outcome']) =>
  fakeAssertion({ line, source: `assert f(${line})`, outcome });
const HELD = [visible(1, 'passed'), visible(2, 'passed')];

/** What the hold-out stage of an attempt may look like. */
const STAGES: Readonly<Record<string, Partial<Execution>>> = {
  failed: {
    ...STAGE,
    assertions: [...HELD, holdout(1, 'passed'), holdout(2, 'failed')]
  },
  raised: {
    ...STAGE,
    error,
    assertions: [...HELD, holdout(1, 'error'), holdout(2, 'error')]
  },
  'left out': {
    ...STAGE,
    assertions: [...HELD, holdout(1, 'passed'), holdout(2, 'not-run')]
  },
  'cut in a hold-out': {
    ...STAGE,
    status: 'cut',
    stop: 'timeout',
    stopMessage: `timeout: limit 2 s, busy in ${CANARY} ${NUMBER}`,
    stack: `File "<check 2>", line ${NUMBER} in ${CANARY}`,
    assertions: [...HELD, holdout(1, 'not-run'), holdout(2, 'not-run')]
  },
  'cut, with no result': {
    ...STAGE,
    status: 'cut',
    stop: 'memory',
    stopMessage: CANARY,
    assertions: HELD
  },
  'passed, with tampering': {
    ...STAGE,
    assertions: [...HELD, holdout(1, 'passed'), holdout(2, 'passed')]
  },
  'passed, with a scorer': {
    ...STAGE,
    tampering: [],
    assertions: [...HELD, holdout(1, 'passed'), holdout(2, 'passed')],
    scored: { value: 3, goal: 'min', name: 'rmse', comment: CANARY }
  },
  'passed, with a failing scorer': {
    ...STAGE,
    tampering: [],
    assertions: [...HELD, holdout(1, 'passed'), holdout(2, 'passed')],
    scored: { value: null, goal: 'min', name: 'rmse', error }
  }
};

const WORKFLOWS: readonly RefineOptions['workflow'][] = [
  'execution',
  'evaluator-optimizer',
  'typed-evaluator',
  'self-refine',
  'scored'
];

/** All requests of a session whose attempts end in `stage`, in turn with a visible failure. */
async function requestsOf(
  stage: Partial<Execution>,
  options: Partial<RefineOptions>
): Promise<string> {
  let call = 0;
  const models = [0, 1].map(
    () =>
      new FakeModel([
        request =>
          JSON.stringify(request).includes('You judge')
            ? '{"evaluation": "NEEDS_IMPROVEMENT", "score": 5, "criteria": {}, "feedback": ["again"], "done": false}'
            : answer(`x = ${call++}`)
      ])
  );
  const [generator, evaluatorModel] = models;
  const executor = new FakeExecutor(
    (job: ExecutionJob) =>
      job.holdouts.length === 0
        ? {}
        : /[24]$/.test(job.candidate)
          ? {
              assertions: [
                visible(1, 'failed'),
                visible(2, 'passed'),
                { ...holdout(1, 'not-run'), source: '' }
              ],
              stdout: 'visible output '.repeat(60)
            }
          : stage,
    {
      progress: () => [
        { type: 'output', stream: 'stdout', text: CANARY },
        { type: 'assertion', result: holdout(1, 'failed') }
      ]
    }
  );
  await run(
    makeRequest({
      source: 'start = 1',
      assertions: [checkCell('assert f(1)\nassert f(2)', 2)],
      holdouts: [
        {
          ...checkCell(`assert ${CANARY}(${NUMBER})\nassert ${CANARY}`, 2),
          cellId: 'holdout',
          role: 'holdout'
        }
      ],
      hiddenNames: [CANARY],
      context: {
        cells: [
          {
            cellId: 'holdout',
            index: 3,
            kind: 'code',
            source: `${CANARY} = ${NUMBER}`,
            cut: false
          }
        ],
        cellsLeftOut: 0,
        variables: [],
        values: 'samples'
      },
      ...(stage.scored
        ? { scorer: { cellId: 's', index: 4, source: 'def score(ns): ...' } }
        : {}),
      options: { maxAttempts: 6, contextValues: 'samples', ...options }
    }),
    { generator, evaluatorModel, executor }
  );
  const sent = models.map(({ requests }) => JSON.stringify(requests)).join();
  expect(sent).toContain('assert f(1)');
  return sent;
}

describe.each(Object.entries(STAGES))(
  'a hold-out stage that %s',
  (_, stage) => {
    it.each(WORKFLOWS)(
      'reaches no request of the workflow %s',
      async workflow => {
        const sent = await requestsOf(stage, { workflow });
        expect(sent).not.toMatch(new RegExp(`${CANARY}|${NUMBER}`, 'i'));
      }
    );

    it.each(FEEDBACK_NAMES)(
      'reaches no request with feedback %s',
      async feedback => {
        const sent = await requestsOf(stage, {
          feedback,
          evaluators: ['assertions', 'static', 'judge']
        });
        expect(sent).not.toMatch(new RegExp(`${CANARY}|${NUMBER}`, 'i'));
      }
    );
  }
);

it.each(FEEDBACK_NAMES)(
  'hold-out failures give equal requests with feedback %s',
  async feedback => {
    const [first, ...others] = await Promise.all(
      [
        'failed',
        'raised',
        'left out',
        'cut in a hold-out',
        'cut, with no result'
      ].map(name =>
        requestsOf({ ...STAGES[name], tampering: [] }, { feedback })
      )
    );
    for (const other of others) {
      expect(other).toBe(first);
    }
  }
);

describe('an execution that leaves an executor', () => {
  const holdouts = [checkCell('assert h', 1, 'holdout')];
  const outcomes = (parts: Partial<Execution>) =>
    sealHoldouts({ holdouts }, fakeExecution(parts)).assertions.map(
      a => a.outcome
    );

  it.each([
    [['passed', 'passed'], 'passed'],
    [['passed', 'failed'], 'failed'],
    [['error', 'not-run'], 'failed'],
    [['passed', 'not-run'], 'failed'],
    [['not-run', 'not-run'], 'not-run']
  ] as const)('has for hold-outs %j the outcome %s', (each, common) => {
    const assertions = each.map((outcome, i) => holdout(i + 1, outcome));
    expect(outcomes({ assertions })).toEqual(each.map(() => common));
  });

  it('has nothing of a hold-out but its place', () => {
    const [sealed] = sealHoldouts(
      { holdouts },
      fakeExecution({ assertions: [holdout(3, 'error')] })
    ).assertions;
    expect(sealed).toEqual({
      id: 'holdout:3',
      cellId: 'holdout',
      role: 'holdout',
      line: 3,
      source: '',
      outcome: 'failed',
      durationMs: 0
    });
  });

  it('keeps a stop that says nothing of the candidate', () => {
    const parts = {
      status: 'cut' as const,
      stop: 'kernel-died' as const,
      stopMessage: 'The kernel died.',
      assertions: [...HELD, holdout(1, 'not-run')]
    };
    expect(sealHoldouts({ holdouts }, fakeExecution(parts))).toMatchObject({
      status: 'cut',
      stop: 'kernel-died'
    });
    expect(outcomes(parts)).toEqual(['passed', 'passed', 'failed']);
  });

  it('keeps what the visible stage was cut by', () => {
    const parts = {
      status: 'cut' as const,
      stop: 'timeout' as const,
      stopMessage: 'timeout: limit 2 s',
      assertions: [
        visible(1, 'passed'),
        visible(2, 'not-run'),
        holdout(1, 'not-run')
      ]
    };
    const execution = sealHoldouts({ holdouts }, fakeExecution(parts));
    expect(execution.stop).toBe('timeout');
    expect(visibleExecution(execution)).toMatchObject({
      status: 'cut',
      stopMessage: 'timeout: limit 2 s'
    });
  });

  it('is as it was without hold-outs', () => {
    const execution = fakeExecution({ denied: ['tried to write a'] });
    expect(sealHoldouts({ holdouts: [] }, execution)).toBe(execution);
    expect(visibleExecution(execution).denied).toEqual(['tried to write a']);
  });
});
