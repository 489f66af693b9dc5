/** @jest-environment node */
/** A session on a part of a cell, from the selection over further attempts to a follow-up. */
import { answer as code } from '../../../../core/__tests__/sessions';
import { driverFixture, held } from '../../__tests__/driverFixture';
import { chosenPart } from '../../target/plannedTarget';

jest.mock('../../../../kernel', () => ({ createExecutor: jest.fn() }));

const CELL = '# keep me\none = 0\n\ntwo = one + 1\nprint(two)  # and me\n';
const PART = { first: 2, last: 4 };
let parts: ReturnType<typeof driverFixture>;

function setUp(answers: readonly string[]) {
  parts = driverFixture([CELL, 'assert two == 3'], answers, job =>
    held(job.candidate.includes('= 2') ? 'passed' : 'failed', 'assert two == 3')
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

const cell = (text: string, from = CELL) =>
  from.replace('one = 0\n\ntwo = one + 1', text);

afterEach(() => parts.dispose());

it('finds the lines again in a cell that was edited meanwhile', async () => {
  const { driver, edit, panel, sessions, target, chosen } = setUp(
    ['one = 1', 'one = 5', 'one = 7'].map(source => code(source))
  );
  await driver.refine(target('cell0'), {}, chosen);
  const session = sessions.find(panel, 'cell0')!;
  const edited = `# mine\n${CELL}`;
  edit(0, edited);
  await driver.goOn(session, { count: 1 });
  expect(session.state?.request?.part).toEqual({ first: 3, last: 5 });
  expect(session.state?.attempts.at(-1)?.code).toBe(cell('one = 7', edited));
});

it('starts nothing when the lines are gone, and says so', async () => {
  const { driver, edit, generator, notices, panel, sessions, target, chosen } =
    setUp(['one = 1', 'one = 5'].map(source => code(source)));
  await driver.refine(target('cell0'), {}, chosen);
  edit(0, 'three = 3');
  await driver.goOn(sessions.find(panel, 'cell0')!, { count: 1 });
  expect(generator.requests).toHaveLength(2);
  expect(notices.at(-1)).toBe(
    'The lines to refine are no longer in cell 1. Select them again.'
  );
});

it('refines the whole cell where all of it is chosen', () => {
  const { target } = setUp([]);
  const trans = { __: (text: string) => text } as never;
  const start = { path: 'a.ipynb', cellId: 'cell0' };
  const choose = (part: object, cellId = 'cell0') =>
    chosenPart(target('cell0'), { ...start, cellId, part } as never, trans);
  expect(choose({ first: 1, last: 6 })).toBeNull();
  expect(choose({ around: 2 })).toEqual({
    refused:
      'Select the lines to refine, or put the cursor in a function or class.'
  });
  expect(choose(PART, 'cell1')).toHaveProperty('refused');
});
