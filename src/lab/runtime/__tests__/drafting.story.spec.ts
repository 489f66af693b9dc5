/** @jest-environment node */
import { answer as code } from '../../../core/__tests__/sessions';
import { fakeAssertion, type FakeRun } from '../../../testing/fakeExecutor';
import type { ExecutionJob } from '../../../core/domain/executor';
import { driverFixture, until } from './driverFixture';

jest.mock('../../../kernel', () => ({ createExecutor: jest.fn() }));

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

let parts: ReturnType<typeof driverFixture>;

function setUp(answers: readonly string[], settings = {}) {
  parts = driverFixture(['# one: 1'], answers, run, undefined, settings);
  return parts;
}

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

afterEach(() => parts.dispose());

describe('the command that drafts assertions', () => {
  it('inserts nothing for a cell that is gone', async () => {
    const { driver, model, target } = setUp([code(DRAFT)]);
    const drafting = driver.draft(target('cell0'));
    const { answer } = await asked();
    model.sharedModel.deleteCell(0);
    answer('approve', [3]);
    await drafting;
    expect(model.cells.length).toBe(0);
  });

  it('says in the panel why there are none', async () => {
    const { driver, sessions, panel, target } = setUp(['I would rather not.']);
    await driver.draft(target('cell0'));
    expect(sessions.find(panel, 'cell0')?.failure).toContain(
      'The model drafted no assertions'
    );
  });

  it('can be stopped, which takes the question away', async () => {
    const { driver, model, panel, sessions, target } = setUp([code(DRAFT)]);
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
    const { driver, generator, model, notices, target } = setUp([code(DRAFT)]);
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
