import { FakeExecutor, type FakeRun } from '../../testing/fakeExecutor';
import { eventSchema } from '../events/schema';
import type { ExecutionJob } from '../domain/executor';
import type { Execution } from '../domain/execution';
import type { RepairGoal } from '../domain/repair';
import { makeRequest, type RequestParts } from './requests';
import { answer, model, run } from './sessions';

const ERROR = {
  name: 'ValueError',
  message: 'no number',
  traceback: 'ValueError: no number',
  candidateLine: 1,
  locals: [{ name: 'text', type: 'str', repr: "'a'" }]
};
const GOAL: RepairGoal = {
  error: ERROR,
  names: ['total'],
  changed: []
};
const FIXED = 'total = parse(text.strip())';

function request(repair: Partial<RepairGoal> = {}, parts: RequestParts = {}) {
  return makeRequest({
    source: 'total = parse(text)',
    assertions: [],
    prompt: '',
    ...parts,
    repair: { ...GOAL, ...repair }
  });
}

/** What the kernel reports, by the candidate. */
function watched(reports: Readonly<Record<string, FakeRun>>) {
  return new FakeExecutor((job: ExecutionJob) => ({
    assertions: [],
    ...((reports[job.candidate] as Partial<Execution> | undefined) ?? {
      repair: { silenced: false, missing: [] }
    })
  }));
}

describe('an error to fix, without checks', () => {
  it('ends with runs and the attempt that runs as the best', async () => {
    const executor = watched({});
    const { outcome, state, events } = await run(request(), {
      executor,
      generator: model(answer(FIXED))
    });
    expect(outcome).toMatchObject({
      passed: false,
      checkedBy: 'none',
      stopReason: 'runs',
      best: { attempt: 1, candidate: FIXED }
    });
    expect(state.attempts[1].verdict?.reasons).toEqual([
      'It runs. Nothing checks its results.'
    ]);
    expect(executor.jobs).toHaveLength(1);
    expect(executor.jobs[0].repair).toEqual({
      error: 'ValueError',
      names: ['total']
    });
    for (const event of events) {
      expect(eventSchema.parse(event)).toEqual(event);
    }
  });

  it('takes the error of the notebook as attempt 0', async () => {
    const generator = model(answer(FIXED));
    const { state } = await run(request(), {
      executor: watched({}),
      generator
    });
    expect(state.attempts[0].execution?.error).toEqual(ERROR);
    const prompt = generator.requests[0].messages.at(-1)!.content;
    expect(prompt).toContain('ValueError: no number');
    expect(prompt).toContain('Locals there: text: str');
    expect(prompt).toContain('The cell must still define total.');
  });

  it.each([
    [
      { silenced: true, missing: [] },
      'It still raises ValueError and only hides it. Fix the cause.'
    ],
    [{ silenced: false, missing: ['total'] }, 'It no longer defines total.']
  ])('refuses a candidate with the report %j', async (repair, reason) => {
    const generator = model(answer('hidden = 1'), answer(FIXED));
    const { outcome, state } = await run(request(), {
      executor: watched({ 'hidden = 1': { repair } }),
      generator
    });
    expect(state.attempts[1].verdict).toMatchObject({
      evaluation: 'fail',
      reasons: [reason]
    });
    expect(generator.requests[1].messages.at(-1)!.content).toContain(reason);
    expect(outcome).toMatchObject({ stopReason: 'runs', best: { attempt: 2 } });
  });

  it.each([
    [
      { handled: true },
      'The error may be hidden: ValueError is still raised, and the code goes on.'
    ]
  ])('ends with runs and a label for the report %j', async (seen, label) => {
    const repair = { silenced: false, missing: [], ...seen };
    const { outcome, state } = await run(request(), {
      executor: watched({ [FIXED]: { repair } }),
      generator: model(answer(FIXED))
    });
    expect(outcome).toMatchObject({ stopReason: 'runs', best: { attempt: 1 } });
    expect(state.attempts[1].verdict).toMatchObject({
      evaluation: 'unknown',
      reasons: ['It runs. Nothing checks its results.', label]
    });
  });

  it('calls no model when the edited cell runs by now', async () => {
    const generator = model(answer(FIXED));
    const { outcome } = await run(request({ error: undefined }), {
      executor: watched({}),
      generator
    });
    expect(outcome).toMatchObject({ stopReason: 'runs', attempts: 0 });
    expect(generator.requests).toHaveLength(0);
  });
});

it('names the variables that the failed run changed first', async () => {
  const { events } = await run(request({ changed: ['df', 'rows'] }), {
    executor: watched({}),
    generator: model(answer(FIXED))
  });
  expect(events[1]).toMatchObject({
    type: 'warning',
    message: expect.stringContaining('the failed run changed df, rows')
  });
});

it('lets the checks decide where there are some', async () => {
  const { outcome } = await run(
    makeRequest({ source: 'total = parse(text)', repair: GOAL }),
    { generator: model(answer('holds = 12')) }
  );
  expect(outcome).toMatchObject({ passed: true, checkedBy: 'assertions' });
});

it('does not require a name that the undefined one misspells', async () => {
  const executor = watched({});
  const generator = model(answer('total = 3\nprint(total)'));
  const error = {
    ...ERROR,
    name: 'NameError',
    message: "name 'total' is not defined. Did you mean: 'totl'?"
  };
  await run(request({ error, names: ['totl', 'rows'] }), {
    executor,
    generator
  });
  expect(executor.jobs[0].repair?.names).toEqual(['rows']);
  expect(generator.requests[0].messages.at(-1)!.content).toContain(
    'The cell must still define rows.'
  );
});
