/** What a judge is sent, word for word. */
import { fakeExecution } from '../../../testing/fakeExecutor';
import { judgeMessages } from '../judge';
import type { Execution } from '../../domain/execution';
import { visibleExecution, visibleRequest } from '../../domain/visible';
import { makeRequest, type RequestParts } from '../../__tests__/requests';

const SHAPE =
  'Answer with one JSON object: {"reasons": what the answer does, measured against each demand of the task, "feedback": [actions], "criteria": {"speed": 0-10, "names": 0-10}, "score": 0-10, "evaluation": "PASS" or "NEEDS_IMPROVEMENT" or "FAIL", "done": true or false}.';

function sent(
  execution: Partial<Execution> | null,
  parts: RequestParts = {},
  criteria: readonly string[] = ['speed', 'names']
) {
  return judgeMessages(
    {
      request: visibleRequest(makeRequest(parts)),
      candidate: 'x = 1',
      execution:
        execution === null ? null : visibleExecution(fakeExecution(execution))
    },
    criteria
  );
}

it('contains the run, and its output where values may be sent', () => {
  const result = (execution: Partial<Execution>, options = {}) =>
    sent(execution, { options })[1]
      .content.split('# What running it gave\n\n')[1]
      .replace(`\n\n${SHAPE}`, '');
  const samples = { contextValues: 'samples' as const };
  expect(result({})).toBe('It ran.');
  expect(
    result({
      status: 'error',
      error: { name: 'ValueError', message: 'secret', traceback: '' }
    })
  ).toBe('It ran. It raised ValueError.');
  expect(result({ stdout: ' out \n' })).toBe('It ran.');
  expect(result({ stdout: ' \n' }, samples)).toBe('It ran.');
  expect(result({ stdout: ' out \n' }, samples)).toBe(
    'It ran.\n\n```\nout\n```'
  );
  const long = result({ stdout: 'o'.repeat(9000) }, samples);
  expect(long).toContain('808 characters left out');
});
