import { systemClock } from '../clock';
import type { RefineEvent } from '../events';
import { refine } from '../loop';
import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import { FakeModel } from '../../testing/fakeModel';
import { makeRequest } from './requests';

it('refines until the assertions hold', async () => {
  const events: RefineEvent[] = [];
  const model = new FakeModel([
    'First try.\n\n```python\ndef fibonacci(n):\n    return n\n```\n',
    'Second.\n\n```python\ndef fibonacci(n):\n    return 55\n```\n'
  ]);
  const executor = new FakeExecutor(job => ({
    assertions: [
      fakeAssertion({ line: 1 }),
      fakeAssertion({
        line: 2,
        outcome: job.candidate.includes('55') ? 'passed' : 'failed'
      })
    ]
  }));
  for await (const event of refine(makeRequest(), {
    generator: model,
    executor,
    clock: systemClock,
    signal: new AbortController().signal
  })) {
    events.push(event);
  }
  expect(events[0].type).toBe('session-start');
  const last = events[events.length - 1];
  expect(last).toMatchObject({
    type: 'session-end',
    outcome: {
      passed: true,
      checkedBy: 'assertions',
      stopReason: 'passed',
      attempts: 2,
      scoreHistory: [0.5, 1],
      best: { attempt: 2, passed: 2, total: 2 }
    }
  });
  expect(model.requests[1].messages.map(m => m.role)).toEqual([
    'system',
    'user',
    'assistant',
    'user'
  ]);
});
