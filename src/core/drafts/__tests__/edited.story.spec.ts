/** @jest-environment node */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { makeRequest } from '../../__tests__/requests';
import type { Drafts } from '../../domain/checks/drafted';
import { chosenSource, withEdited } from '../drafts';

const DRAFTS: Drafts = {
  source: 'import math\nassert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3',
  assertions: [2, 3, 4].map(line => ({
    line,
    source: `assert f(${line - 1}) == ${line - 1}`,
    problem: null
  }))
};

/** One result for each line that asserts; `same` always holds. */
const executor = () =>
  new FakeExecutor(({ assertions: [cell] }) => ({
    assertions: (cell?.source ?? '').split('\n').flatMap((source, index) =>
      source.startsWith('assert')
        ? [
            fakeAssertion({
              line: index + 1,
              source,
              outcome: source.includes('same') ? 'passed' : 'failed'
            })
          ]
        : []
    )
  }));

const edit = (text: string, given = executor()) =>
  withEdited(makeRequest({ assertions: [] }), DRAFTS, 3, text, {
    executor: given,
    signal: new AbortController().signal
  });

it('takes the place of its draft, whatever number of lines it has', async () => {
  const drafts = await edit('x = 5\nassert f(x) == 5');
  expect(drafts.assertions[1]).toMatchObject({
    line: 3,
    source: 'assert f(2) == 2',
    edited: 'x = 5\nassert f(x) == 5',
    problem: null
  });
  expect(chosenSource(drafts, [3, 4])).toBe(
    'import math\nx = 5\nassert f(x) == 5\nassert f(3) == 3'
  );
  expect(chosenSource(drafts, [2])).toBe('import math\nassert f(1) == 1');
});

it('is tried alone, with the set-up of the drafts', async () => {
  const given = executor();
  await edit('assert f(9) == 9', given);
  expect(given.jobs[0]!.assertions[0]!.source).toBe(
    'import math\nassert f(9) == 9'
  );
});

it('has a problem when it cannot fail or checks nothing', async () => {
  const same = await edit('assert same(2)');
  expect(same.assertions[1]!.problem).not.toBeNull();
  expect(same.assertions[0]).toBe(DRAFTS.assertions[0]);
  expect((await edit('print(2)')).assertions[1]!.problem).not.toBeNull();
  expect((await edit('  ')).assertions[1]!.problem).not.toBeNull();
});
