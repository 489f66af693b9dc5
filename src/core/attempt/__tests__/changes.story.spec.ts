/** Which program an answer of changes (a diff) is applied to. */
import {
  checkCell,
  makeRequest,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';

const CHANGE = '```diff\n@@ -2,1 +2,1 @@\n-last = 0\n+last = 9\n```\n';

/** Two of the checks hold where the candidate says `good`. */
const play = (answers: readonly string[], parts: RequestParts = {}) =>
  run(
    makeRequest({
      assertions: [checkCell('assert 1\nassert 2\nassert 3', 3)],
      ...parts,
      options: { maxAttempts: answers.length, ...parts.options }
    }),
    {
      generator: model(...answers),
      executor: new FakeExecutor(({ candidate }) => ({
        assertions: [1, 2, 3].map(line =>
          fakeAssertion({
            line,
            outcome:
              candidate.includes('good') && line < 3 ? 'passed' : 'failed'
          })
        )
      }))
    }
  );

/** So long that a prompt quotes it. */
const GOOD = `good = 1\nlast = 0${'\n# more'.repeat(14)}`;

describe('an answer of changes', () => {
  it('is applied to the attempt before it', async () => {
    const { state } = await play([answer(GOOD), CHANGE]);
    expect(state.attempts[1].code).toBe(GOOD.replace('last = 0', 'last = 9'));
  });

  it('is applied to the cell where no attempt was made', async () => {
    const { state } = await play([CHANGE], { source: 'cell = 1\nlast = 0' });
    expect(state.attempts.at(-1)?.code).toBe('cell = 1\nlast = 9');
  });
});
