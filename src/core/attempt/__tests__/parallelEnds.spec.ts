/** How a session continues, or ends, after candidates that did not all come through. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import type { FakeStep } from '../../../testing/fakeModel';
import { RefineError } from '../../errors';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const options = { candidates: 3, maxAttempts: 5 };
const refused: FakeStep[] = [
  {
    type: 'throw',
    error: new RefineError('model', 'Refused.', { code: 'rate-limited' })
  }
];

it('a failed call beside another: the other is refined', async () => {
  const generator = model(refused, answer('holds = 1'), answer('holds = 1, 2'));
  const { outcome } = await run(makeRequest({ options }), {
    generator,
    executor: new FakeExecutor(job =>
      // The third candidate passes only as a refinement.
      scored({ ...job, candidate: job.candidate.replace('1, 2', '1') })
    )
  });
  expect(outcome).toMatchObject({
    stopReason: 'max-attempts',
    attempts: 5,
    best: { candidate: 'holds = 1' }
  });
  expect(JSON.stringify(generator.requests[3].messages)).toContain('holds = 1');
});

it('a pass beside a failed call is a pass', async () => {
  const { outcome } = await run(makeRequest({ options }), {
    generator: model(refused, answer('holds = 1, 2'), refused)
  });
  expect(outcome).toMatchObject({ passed: true, stopReason: 'passed' });
  expect(outcome.error).toBeUndefined();
});

it('no room for some of them: what there was room for is refined', async () => {
  const { outcome, state } = await run(
    makeRequest({
      options: { ...options, maxTokens: 3000, maxOutputTokens: 1000 }
    }),
    { generator: model(answer('a = 1'), answer('holds = 1, 2')) }
  );
  // Two start, one after the other continues with what they left.
  expect(state.attempts.length).toBeGreaterThanOrEqual(2);
  expect(outcome).toMatchObject({ passed: true, stopReason: 'passed' });
});

it('a kernel that dies under one of them ends the session', async () => {
  const { outcome } = await run(makeRequest({ options }), {
    generator: model(answer('a = 1'), answer('b = 1'), answer('holds = 1')),
    executor: new FakeExecutor(job =>
      job.candidate.startsWith('b')
        ? { status: 'cut', stop: 'kernel-died' }
        : scored(job)
    )
  });
  expect(outcome).toMatchObject({
    stopReason: 'kernel-died',
    attempts: 3,
    best: { candidate: 'holds = 1' }
  });
});

it('a dead kernel is reported, not the failed call before it', async () => {
  const { outcome } = await run(makeRequest({ options }), {
    generator: model(refused, answer('b = 1'), refused),
    executor: new FakeExecutor([{ status: 'cut', stop: 'kernel-died' }])
  });
  expect(outcome).toMatchObject({ stopReason: 'kernel-died' });
});

it.each([
  [null, [undefined, undefined]],
  [0.2, [0.8, 0.8]],
  [1.2, [1.2, 1.2]]
])('temperature %p: the candidates are varied', async (temperature, sent) => {
  const generator = model(answer('a = 1'), answer('b = 1'));
  await run(
    makeRequest({ options: { candidates: 2, maxAttempts: 2, temperature } }),
    { generator }
  );
  expect(generator.requests.map(r => r.temperature)).toEqual(sent);
});
