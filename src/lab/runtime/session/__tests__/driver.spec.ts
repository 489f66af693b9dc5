/** @jest-environment node */
import { answer as code } from '../../../../core/__tests__/sessions';
import type { ExecutionJob } from '../../../../core/domain/executor';
import { fakeAssertion, type FakeRun } from '../../../../testing/fakeExecutor';
import { driverFixture, held, until } from '../../__tests__/driverFixture';
import { chosenPart } from '../../target/plannedTarget';

jest.mock('../../../../kernel', () => ({ createExecutor: jest.fn() }));

let parts: ReturnType<typeof driverFixture>;

const SOURCES = ['# one: 1', 'assert one == 1', '# two: 2', 'assert two == 2'];

function setUp(
  answers: Parameters<typeof driverFixture>[1],
  runs: Parameters<typeof driverFixture>[2]
) {
  parts = driverFixture(SOURCES, answers, runs);
  return parts;
}

afterEach(() => parts.dispose());

describe('a session that goes on', () => {
  const failing = () =>
    setUp(
      [code('one = 0'), code('one = -1'), code('one = 3'), code('one = 4')],
      [held('failed')]
    );

  it('starts anew against checks that were edited, and says so', async () => {
    const { driver, edit, executor, generator, notices, panel, ...rest } =
      failing();
    await driver.refine(rest.target('cell0'));
    const before = rest.sessions.find(panel, 'cell0')!;
    edit(1, 'assert one == 7');
    await driver.goOn(before, { count: 1, hint: 'think' });
    const session = rest.sessions.find(panel, 'cell0')!;
    expect(session).not.toBe(before);
    expect(session.state?.attempts.map(a => [a.attempt, a.code])).toEqual([
      [1, 'one = 3']
    ]);
    expect(executor.jobs.at(-1)?.assertions[0].source).toBe('assert one == 7');
    const sent = JSON.stringify(generator.requests[2]);
    expect(sent).toContain('assert one == 7');
    expect(sent).not.toContain('one = -1');
    expect(sent).toContain('think');
    expect(notices).toEqual([
      'The checks were edited, so the session started over.'
    ]);
  });

  it('leaves the answers in words to the session after it', async () => {
    const { driver, panel, sessions, target } = failing();
    await sessions
      .ofTarget(panel, 'cell0')
      .explain('Why?', async (_, onText) => onText('So.'));
    await driver.refine(target('cell0'));
    const { state, explanations } = sessions.find(panel, 'cell0')!;
    expect(state?.attempts).not.toEqual([]);
    expect(explanations.list).toMatchObject([
      { question: 'Why?', text: 'So.', status: 'earlier' }
    ]);
  });

  it('restores the source from before an attempt was accepted', async () => {
    const { driver, edit, panel, sessions, target } = failing();
    await driver.refine(target('cell0'));
    const session = sessions.find(panel, 'cell0')!;
    edit(0, 'one = -1');
    await driver.goOn(session, { count: 1 });
    expect(session.state?.request).toMatchObject({
      prompt: 'one: 1',
      target: { source: '# one: 1' }
    });
  });

  it('runs no code of the user without the judge that must accept it', async () => {
    parts = driverFixture(
      SOURCES,
      [code('one = 0'), code('one = -1')],
      [held('failed')],
      undefined,
      { evaluators: ['assertions', 'judge'] }
    );
    const { driver, executor, forgetModel, show, panel, ...rest } = parts;
    await driver.refine(rest.target('cell0'));
    forgetModel();
    show.mockClear();
    const jobs = executor.jobs.length;
    const edited = { from: 1, code: 'one = 9' };
    await driver.goOn(rest.sessions.find(panel, 'cell0')!, { edited });
    expect(executor.jobs).toHaveLength(jobs);
    expect(show).toHaveBeenCalledTimes(1);
  });

  it('does not start beside the session of another target', async () => {
    const { driver, generator, notices, panel, sessions, target } = setUp(
      [code('one = 0'), code('one = -1'), [{ type: 'hang' }]],
      [held('failed')]
    );
    await driver.refine(target('cell0'));
    const other = driver.refine(target('cell2'));
    await until(() => generator.active > 0);
    await driver.goOn(sessions.find(panel, 'cell0')!, { count: 1 });
    expect(generator.requests).toHaveLength(3);
    expect(notices.at(-1)).toMatch(/A session is running for cell [13]/);
    sessions.running(panel)?.stop();
    await other;
  });
});

it('keeps nothing of a notebook that is closed', () => {
  const { panel, sessions } = setUp([], []);
  Object.assign(panel, { isDisposed: true });
  const connected = jest.spyOn(panel.disposed, 'connect');
  expect(sessions.latest(panel)).toBeNull();
  expect(connected).not.toHaveBeenCalled();
});

it('checks a cell before the server has answered', async () => {
  parts = driverFixture(
    SOURCES,
    [],
    [held('failed')],
    new Promise(() => undefined)
  );
  await parts.driver.check(parts.target('cell0'));
  expect(parts.executor.jobs).toHaveLength(1);
});

describe('sessions of %%refine cells', () => {
  it('wait for their turn, and read the notebook then', async () => {
    const { driver, edit, generator, notices, panel, sessions, target } = setUp(
      [code('one = 1'), code('two = 2')],
      [held('passed')]
    );
    const first = driver.refineInTurn(target('cell0'));
    const second = driver.refineInTurn(target('cell2'));
    expect(notices).toEqual(['Cell 3 waits for the cell.']);
    edit(2, '# two: the number two');
    await Promise.all([first, second]);
    expect(generator.requests).toHaveLength(2);
    expect(JSON.stringify(generator.requests[1])).toContain('the number two');
    expect(sessions.find(panel, 'cell0')?.state?.outcome?.passed).toBe(true);
    expect(sessions.find(panel, 'cell2')?.state?.outcome?.passed).toBe(true);
  });

  it('wait for a session that was started otherwise', async () => {
    const { driver, generator, notices, panel, sessions, target } = setUp(
      [[{ type: 'hang' }], code('two = 2')],
      [held('passed')]
    );
    const first = driver.refine(target('cell0'));
    await until(() => generator.active > 0);
    const second = driver.refineInTurn(target('cell2'));
    expect(notices).toEqual(['Cell 3 waits for cell 1.']);
    sessions.running(panel)?.stop();
    await Promise.all([first, second]);
    expect(sessions.find(panel, 'cell2')?.state?.outcome?.passed).toBe(true);
  });

  it('do not start after a stop', async () => {
    const { driver, generator, panel, sessions, target } = setUp(
      [[{ type: 'hang' }]],
      [held('passed')]
    );
    const first = driver.refineInTurn(target('cell0'));
    const second = driver.refineInTurn(target('cell2'));
    await until(() => generator.active > 0);
    driver.stop(panel);
    await Promise.all([first, second]);
    expect(generator.requests).toHaveLength(1);
    expect(sessions.find(panel, 'cell2')).toBeNull();
  });
});

it('makes no more attempts than the server allows', async () => {
  const { driver, generator, panel, policy, sessions, target } = setUp(
    [code('one = 0'), code('one = 2'), code('one = 3'), code('one = 4')],
    [held('failed')]
  );
  policy.maxAttempts = 1;
  await driver.refine(target('cell0'));
  await driver.goOn(sessions.find(panel, 'cell0')!, { count: 3 });
  expect(generator.requests).toHaveLength(2);
});

it('makes no more attempts than the setting allows', async () => {
  const { driver, panel, sessions, target } = setUp(
    [code('one = 0'), code('one = 1')],
    [held('failed'), held('passed')]
  );
  await driver.refine(target('cell0'));
  const session = sessions.find(panel, 'cell0')!;
  await driver.goOn(session, { count: 500 });
  // An event with more could not be read after a reload.
  expect(session.state?.request?.options.maxAttempts).toBe(100);
});

describe('the command that drafts assertions', () => {
  const DRAFT = 'assert one == 1\nassert one == one\nassert one < 2';

  /** Runs each statement of the checks; what mentions only itself holds, the others hold for `one = 1`. */
  const run = ({ candidate, assertions }: ExecutionJob): FakeRun => ({
    assertions: assertions.flatMap(({ cellId, source }) =>
      source.split('\n').map((statement, i) =>
        fakeAssertion({
          cellId,
          line: i + 1,
          source: statement,
          outcome:
            statement.includes('one == one') || candidate === 'one = 1'
              ? 'passed'
              : 'failed'
        })
      )
    )
  });

  /** The question that waits. */
  async function asked() {
    const session = () => parts.sessions.find(parts.panel, 'cell0');
    await until(() => (session()?.questions.current ?? null) !== null);
    return {
      question: session()!.questions.current!,
      answer: (choice: string, lines?: readonly number[]) =>
        session()!.questions.answer(session()!.questions.current!.id, choice, {
          lines
        })
    };
  }

  const draft = (answer: string) =>
    (parts = driverFixture(['# one: 1'], [answer], run));

  it('inserts nothing for a cell that is gone', async () => {
    const { driver, model, target } = draft(code(DRAFT));
    const drafting = driver.draft(target('cell0'));
    const { answer } = await asked();
    model.sharedModel.deleteCell(0);
    answer('approve', [3]);
    await drafting;
    expect(model.cells.length).toBe(0);
  });

  it('says in the panel why there are none', async () => {
    const { driver, sessions, panel, target } = draft('I would rather not.');
    await driver.draft(target('cell0'));
    expect(sessions.find(panel, 'cell0')?.failure).toContain(
      'The model drafted no assertions'
    );
  });

  it('can be stopped, which takes the question away', async () => {
    const { driver, model, panel, sessions, target } = draft(code(DRAFT));
    const drafting = driver.draft(target('cell0'));
    await asked();
    driver.stop(panel);
    await drafting;
    const session = sessions.find(panel, 'cell0')!;
    expect(session.questions.current).toBeNull();
    expect(session.failure).toBeNull();
    expect(model.cells.length).toBe(1);
  });

  it('leaves a target with checks alone', async () => {
    const { driver, generator, model, notices, target } = draft(code(DRAFT));
    model.sharedModel.insertCell(1, {
      cell_type: 'code',
      source: 'assert one'
    });
    await driver.draft(target('cell0'));
    expect(generator.requests).toHaveLength(0);
    expect(notices.at(-1)).toBe(
      'Cell 1 already has checks. Refine drafts assertions only for cells without checks.'
    );
  });
});

describe('a session on a part of a cell', () => {
  const CELL = '# keep me\none = 0\n\ntwo = one + 1\nprint(two)  # and me\n';
  const PART = { first: 2, last: 4 };
  function select(answers: readonly string[]) {
    parts = driverFixture([CELL, 'assert two == 3'], answers, job =>
      held(
        job.candidate.includes('= 2') ? 'passed' : 'failed',
        'assert two == 3'
      )
    );
    const trans = { __: (text: string) => text } as never;
    const target = parts.target('cell0');
    const chosen = chosenPart(
      target,
      { path: 'a.ipynb', cellId: 'cell0', part: PART },
      trans
    );
    return {
      ...parts,
      chosen: chosen as Exclude<typeof chosen, { refused: string }>
    };
  }

  it('starts nothing when the lines are gone, and says so', async () => {
    const {
      driver,
      edit,
      generator,
      notices,
      panel,
      sessions,
      target,
      chosen
    } = select(['one = 1', 'one = 5'].map(source => code(source)));
    await driver.refine(target('cell0'), {}, chosen);
    edit(0, 'three = 3');
    await driver.goOn(sessions.find(panel, 'cell0')!, { count: 1 });
    expect(generator.requests).toHaveLength(2);
    expect(notices.at(-1)).toBe(
      'The lines to refine are no longer in cell 1. Select them again.'
    );
  });

  it('refines the whole cell where all of it is chosen', () => {
    const { target } = select([]);
    const trans = { __: (text: string) => text } as never;
    const start = { path: 'a.ipynb', cellId: 'cell0' };
    const choose = (part: object, cellId = 'cell0') =>
      chosenPart(target('cell0'), { ...start, cellId, part } as never, trans);
    expect(choose({ first: 1, last: 6 })).toBeNull();
    expect(choose({ first: 9, last: 9 })).toEqual({
      refused: 'Select the lines to refine.'
    });
    expect(choose(PART, 'cell1')).toHaveProperty('refused');
  });
});
