import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import type { Execution, StaticFinding } from '../../domain/execution';
import type { ExecutionJob } from '../../domain/executor';
import type { RefineOptions } from '../../settings';
import {
  makeRequest,
  PROSE,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const unused: StaticFinding = {
  line: 1,
  code: 'F401',
  message: '`os` imported but unused',
  severity: 'warning'
};
const undefinedName: StaticFinding = {
  line: 2,
  code: 'undefined-name',
  message: 'undefined name `dff`',
  severity: 'error'
};

const gate: Partial<RefineOptions> = { evaluators: ['assertions', 'static'] };

function found(
  ...findings: readonly StaticFinding[]
): (job: ExecutionJob) => Partial<Execution> {
  return job => ({ ...scored(job), findings });
}

const gated: Partial<Execution> = {
  status: 'error',
  error: { name: 'StaticError', message: 'line 2', traceback: 'line 2' },
  findings: [undefinedName],
  assertions: [1, 2].map(line => fakeAssertion({ line, outcome: 'not-run' }))
};

async function session(
  options: Partial<RefineOptions>,
  execute: (job: ExecutionJob) => Partial<Execution>,
  parts: RequestParts = {},
  ...codes: readonly string[]
) {
  const executor = new FakeExecutor(execute);
  const generator = model(...codes.map(code => answer(code)));
  const ended = await run(
    makeRequest({ ...parts, options: { maxAttempts: 2, ...options } }),
    { executor, generator }
  );
  return { ...ended, executor, generator };
}

it.each([
  [{}, undefined],
  [gate, 'gate']
])('%j: the kernel is asked for %s', async (options, asked) => {
  const { executor } = await session(options, found(), {}, 'holds = 1, 2');
  expect(executor.jobs[0].static).toBe(asked);
});

it('findings are reported with a failure, also of assertions', async () => {
  const { generator } = await session(
    gate,
    found(unused, undefinedName),
    {},
    'holds = 1',
    'holds = 1, 2'
  );
  const sent = JSON.stringify(generator.requests[1].messages);
  expect(sent).toContain('assert f(2)');
  expect(sent).toContain('Line 1: `os` imported but unused (F401)');
  expect(sent).toContain('Line 2: undefined name `dff` (undefined-name)');
});

it('a syntax error that was run is reported once', async () => {
  const { generator } = await session(
    gate,
    job => ({
      ...gated,
      error: { name: 'SyntaxError', message: 'bad', traceback: 'bad' },
      findings: [{ ...undefinedName, code: 'syntax', message: job.id }]
    }),
    {},
    'holds ='
  );
  expect(JSON.stringify(generator.requests[1].messages)).not.toContain(
    '(syntax)'
  );
});

it('a gated candidate reports its findings and no run', async () => {
  const { generator, state } = await session(
    gate,
    job => (job.candidate.includes('dff') ? gated : found()(job)),
    {},
    'holds = dff',
    'holds = 1, 2'
  );
  expect(state.attempts[0].verdict).toMatchObject({
    evaluation: 'fail',
    reasons: ['It was not run: its source contains an error.']
  });
  expect(state.attempts[0].feedback?.text).toBe(
    'The cell was not run: its source cannot run as it is.\n\n- Line 2: undefined name `dff` (undefined-name)'
  );
  expect(generator.requests).toHaveLength(2);
});

it('a kernel without static checks is reported once', async () => {
  const { outcome, state } = await session(
    gate,
    job => scored(job),
    { source: 'holds = 1' },
    'holds = 2',
    'holds = 1, 2'
  );
  expect(outcome).toMatchObject({ passed: true, attempts: 2 });
  expect(state.warnings).toHaveLength(1);
  const again = await session(
    { ...gate, evaluators: ['assertions', 'static', 'judge'] },
    () => ({ assertions: [fakeAssertion(), fakeAssertion({ line: 2 })] }),
    {},
    'a',
    '{"evaluation": "FAIL"}',
    'b'
  );
  expect(
    again.state.warnings.filter(w => w.message.includes('static'))
  ).toHaveLength(1);
});

it('alone it checks nothing', async () => {
  const { outcome } = await session(
    gate,
    () => ({ findings: [] }),
    { assertions: [] },
    'x = 1'
  );
  expect(outcome).toMatchObject({
    passed: false,
    checkedBy: 'none',
    stopReason: 'no-checks'
  });
});

it('prose has no source to look at', async () => {
  const { executor, outcome } = await session(
    gate,
    found(),
    { target: PROSE },
    'holds 1, 2'
  );
  expect(executor.jobs[0].static).toBeUndefined();
  expect(outcome.passed).toBe(true);
});
