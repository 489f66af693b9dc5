import type { NotebookContent } from '../cells';
import { withTestsOf } from '../master';

type Nbgrader = Readonly<Record<string, unknown>>;

const test = (points: number) => ({ grade: true, solution: false, points });
const solution = { grade: false, solution: true };
const HIDDEN = '### BEGIN HIDDEN TESTS\nassert f(3)\n### END HIDDEN TESTS';

function cell(
  gradeId: string | null,
  source: string,
  nbgrader: Nbgrader = {},
  metadata: Readonly<Record<string, unknown>> = {}
) {
  const own =
    gradeId === null ? {} : { nbgrader: { grade_id: gradeId, ...nbgrader } };
  return {
    cell_type: 'code',
    id: gradeId ?? 'free',
    source,
    metadata: { ...own, ...metadata }
  };
}

function notebook(...cells: NotebookContent['cells']): NotebookContent {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

const master = notebook(
  cell('s', '# YOUR CODE', solution),
  cell('t1', `assert f(1)\n${HIDDEN}`, test(2)),
  cell('t2', 'assert f(2)', test(3))
);
const ids = ({ cells }: NotebookContent) => cells.map(({ id }) => id);

it('takes no other line ends for an edit', () => {
  const lines = 'assert f(1)\nassert f(2)';
  const whole = notebook(cell('s', '', solution), cell('t', lines, test(2)));
  const student = notebook(
    cell('s', 'mine', solution),
    cell('t', lines.replace('\n', '\r\n'), test(2))
  );
  expect(withTestsOf(whole, student).notes).toEqual([]);
});

it('takes a test as nbgrader hands it out for no edit', () => {
  const source = `assert f(1)\n\n${HIDDEN}\n\nassert f(2)`;
  const whole = notebook(cell('s', '', solution), cell('t', source, test(2)));
  const student = notebook(
    cell('s', 'mine', solution),
    cell('t', 'assert f(1)\n\n\nassert f(2)', test(2))
  );
  expect(withTestsOf(whole, student).notes).toEqual([]);
});

it('reports an edited test and uses the master’s', () => {
  const student = notebook(
    cell('s', 'mine', solution),
    cell('t1', 'assert True', test(2)),
    cell('t2', 'assert f(2)', { ...test(300), solution: true })
  );
  const { notes, notebook: found } = withTestsOf(master, student);
  expect(notes).toEqual([{ gradeId: 't1', what: 'edited' }]);
  expect(found.cells[2]?.metadata['nbgrader']).toMatchObject(test(3));
});

it('puts a deleted test back where the master has it', () => {
  const student = notebook(
    cell('s', 'mine', solution),
    cell(null, 'notes'),
    cell('t2', 'assert f(2)', test(3))
  );
  const { notes, notebook: found } = withTestsOf(master, student);
  expect(notes).toEqual([{ gradeId: 't1', what: 'missing' }]);
  expect(ids(found)).toEqual(['s', 't1', 'free', 't2']);
});

it('names a solution that is not there', () => {
  const student = notebook(cell('t2', 'assert f(2)', test(3)));
  const { notes, notebook: found } = withTestsOf(master, student);
  expect(notes).toEqual([
    { gradeId: 's', what: 'missing' },
    { gradeId: 't1', what: 'missing' }
  ]);
  expect(ids(found)).toEqual(['t1', 't2']);
});

it('counts no test of the student’s own, and no second copy', () => {
  const student = notebook(
    cell('s', 'mine', solution, { tags: ['refine-skip', 'mine'] }),
    cell('t1', `assert f(1)\n${HIDDEN}`, test(2)),
    cell('t2', 'assert f(2)', test(3)),
    cell('t2', 'assert f(2)', test(3)),
    cell('own', 'assert True', test(9)),
    cell(null, 'assert True', {}, { tags: ['refine-assert'] })
  );
  const { notes, notebook: found } = withTestsOf(master, student);
  expect(notes).toEqual([
    { gradeId: 't2', what: 'duplicate' },
    { gradeId: 'own', what: 'added' }
  ]);
  expect(found.cells[0]?.metadata['tags']).toEqual(['mine']);
  expect(found.cells.slice(3).map(({ metadata }) => metadata)).toEqual([
    {},
    {},
    {}
  ]);
});
