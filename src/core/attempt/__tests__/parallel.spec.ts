import fc from 'fast-check';
import { FakeClock } from '../../../testing/fakeClock';
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { fakeEnd, FakeModel, type FakeStep } from '../../../testing/fakeModel';
import { RefineError } from '../../errors';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const options = { candidates: 3 };
const after = (ms: number, code: string): FakeStep[] => [
  { type: 'delay', ms },
  { type: 'text', text: answer(code) },
  fakeEnd()
];

describe('several candidates', () => {
  it('share one prompt, and the first pass cancels the rest', async () => {
    const clock = new FakeClock();
    const generator = new FakeModel(
      [after(300, 'a'), after(100, 'holds = 1'), after(200, 'holds = 1, 2')],
      { clock }
    );
    const executor = new FakeExecutor(scored, { clock });
    const running = run(makeRequest({ options }), {
      generator,
      executor,
      clock
    });
    await clock.advance(250);
    const { outcome, events, state } = await running;
    expect(outcome).toMatchObject({
      passed: true,
      attempts: 3,
      stopReason: 'passed',
      best: { attempt: 3 }
    });
    expect(new Set(generator.requests.map(r => JSON.stringify(r))).size).toBe(
      1
    );
    expect(generator).toMatchObject({ active: 0, aborted: 1 });
    expect(executor.jobs.map(job => job.candidate)).toEqual([
      'holds = 1',
      'holds = 1, 2'
    ]);
    expect(
      events.filter(e => e.type === 'attempt-start').map(e => e.candidate)
    ).toEqual([0, 1, 2]);
    expect(state.attempts[0].failure).toEqual({
      code: 'cancelled',
      message: 'Another candidate passed first.'
    });
    expect(clock.now()).toBe(250);
  });

  it('that all fail: the best is refined', async () => {
    const generator = model(
      answer('a'),
      answer('holds = 1'),
      answer('c'),
      answer('holds = 1, 2')
    );
    const { outcome } = await run(makeRequest({ options }), { generator });
    expect(outcome).toMatchObject({ passed: true, attempts: 4 });
    const { messages } = generator.requests[3];
    expect(messages.map(m => m.content).join()).toContain('holds = 1');
  });

  it('are no more than the attempts that are allowed', async () => {
    const generator = model(answer('a'), answer('b'));
    const { outcome } = await run(
      makeRequest({ options: { candidates: 8, maxAttempts: 2 } }),
      { generator }
    );
    expect(outcome).toMatchObject({ attempts: 2, stopReason: 'max-attempts' });
  });

  it('are no more than the budget lets begin', async () => {
    const generator = model(answer('a'), answer('b'), answer('c'));
    const { outcome, types } = await run(
      makeRequest({
        options: {
          candidates: 3,
          maxTokens: 1500,
          maxOutputTokens: 400,
          maxAttempts: 3
        }
      }),
      { generator }
    );
    expect(types.filter(t => t === 'attempt-start').length).toBe(
      outcome.attempts
    );
    expect(generator.requests.length).toBe(outcome.attempts);
    expect(
      outcome.usage.promptTokens + outcome.usage.completionTokens
    ).toBeLessThanOrEqual(1500);
    const none = await run(
      makeRequest({ options: { candidates: 3, maxTokens: 100 } }),
      { generator }
    );
    expect(none.outcome).toMatchObject({ stopReason: 'budget', attempts: 0 });
  });

  it('continue without failed calls, and end when all failed', async () => {
    const refused: FakeStep[] = [
      {
        type: 'throw',
        error: new RefineError('model', 'Refused.', { code: 'rate-limited' })
      }
    ];
    const some = await run(makeRequest({ options }), {
      generator: model(refused, answer('holds = 1, 2'), refused)
    });
    expect(some.outcome).toMatchObject({ passed: true });
    const all = await run(makeRequest({ options }), {
      generator: model(refused)
    });
    expect(all.outcome).toMatchObject({
      stopReason: 'model-error',
      error: { code: 'rate-limited' },
      attempts: 3
    });
  });

  it('end together with a stop, and with their kernel', async () => {
    const controller = new AbortController();
    const generator = model([{ type: 'hang' }]);
    const stopped = await run(
      makeRequest({ options }),
      { generator, signal: controller.signal },
      event =>
        event.type === 'attempt-start' &&
        event.attempt === 3 &&
        controller.abort()
    );
    expect(stopped.outcome).toMatchObject({
      stopReason: 'stopped',
      attempts: 3
    });
    expect(generator.active).toBe(0);
    const died = await run(makeRequest({ options }), {
      generator: model(answer('a'), answer('b'), answer('c')),
      executor: new FakeExecutor([{ status: 'cut', stop: 'kernel-died' }])
    });
    expect(died.outcome).toMatchObject({
      stopReason: 'kernel-died',
      best: { evaluation: 'unknown' }
    });
  });

  it('are one where attempts cannot be isolated', async () => {
    const executor = new FakeExecutor(scored, {
      isolation: { mode: 'live', memory: false }
    });
    const { outcome, state } = await run(makeRequest({ options }), {
      executor,
      generator: model(answer('holds = 1, 2'))
    });
    expect(outcome).toMatchObject({ passed: true, attempts: 1 });
    expect(state.warnings[0].message).toContain('one at a time');
  });

  it('are written at a temperature that varies them', async () => {
    const generator = model(answer('a'), answer('b'));
    await run(
      makeRequest({
        options: { candidates: 2, maxAttempts: 2, temperature: 0 }
      }),
      { generator }
    );
    expect(generator.requests.map(r => r.temperature)).toEqual([0.8, 0.8]);
  });

  it('do not count as going round in circles', async () => {
    const { types } = await run(
      makeRequest({ options: { candidates: 4, maxAttempts: 5 } }),
      {
        generator: model(...['a', 'b', 'c', 'd', 'e'].map(x => answer(x)))
      }
    );
    expect(types).not.toContain('restart');
  });

  it('in any order: one pass is kept, and every attempt ends', async () => {
    const candidate = fc.tuple(
      fc.integer({ min: 1, max: 900 }),
      fc.constantFrom('a', 'holds = 1', 'holds = 2', 'holds = 1, 2')
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(candidate, { minLength: 2, maxLength: 5 }),
        async candidates => {
          const clock = new FakeClock();
          const generator = new FakeModel(
            candidates.map(([ms, code], i) => after(ms, `${code}\nx${i} = 0`)),
            { clock }
          );
          const executor = new FakeExecutor(
            job => ({ ...(scored(job) as object), durationMs: 50 }),
            { clock }
          );
          const running = run(
            makeRequest({
              options: {
                candidates: candidates.length,
                maxAttempts: candidates.length
              }
            }),
            { generator, executor, clock }
          );
          await clock.advance(2000);
          const { outcome } = await running;
          expect(outcome.passed).toBe(
            candidates.some(([, code]) => code === 'holds = 1, 2')
          );
          expect(generator.active + executor.active).toBe(0);
        }
      ),
      { numRuns: 40 }
    );
  });
});

it('the model is stopped at the first remark after the code', async () => {
  const clock = new FakeClock();
  const generator = new FakeModel(
    [
      [
        { type: 'text', text: answer('holds = 1, 2') },
        { type: 'delay', ms: 10 },
        { type: 'text', text: 'This code …' },
        { type: 'delay', ms: 60000 },
        { type: 'text', text: 'And much more.' },
        fakeEnd()
      ]
    ],
    { clock }
  );
  const running = run(makeRequest(), { generator, clock });
  await clock.advance(10);
  const { outcome } = await running;
  expect(outcome).toMatchObject({
    passed: true,
    attempts: 1,
    usage: { calls: 1, estimated: true }
  });
  expect(generator).toMatchObject({ aborted: 1, active: 0 });
  expect(clock.now()).toBe(10);
});

it.each([
  ['of one piece again and again', ['x = [', ...Array(900).fill('0, ')]],
  [
    'longer than the task can need',
    Array.from({ length: 3000 }, (_, i) => `x${i} = ${i}\n`)
  ]
])('an answer %s is cut', async (_, pieces) => {
  const generator = model(
    [
      { type: 'text', text: '```python\n' },
      ...(pieces as string[]).map(text => ({ type: 'text' as const, text })),
      fakeEnd()
    ],
    answer('holds = 1, 2')
  );
  const { state } = await run(makeRequest(), { generator });
  expect(state.attempts[0]?.failure?.code).toBe('truncated');
  expect(state.attempts[0]?.answer?.length).toBeLessThan(15000);
  expect(generator.aborted).toBe(1);
});

describe('a session, after candidates that did not all come through,', () => {
  const options = { candidates: 3, maxAttempts: 5 };
  const refused: FakeStep[] = [
    {
      type: 'throw',
      error: new RefineError('model', 'Refused.', { code: 'rate-limited' })
    }
  ];

  it('a failed call beside another: the other is refined', async () => {
    const generator = model(
      refused,
      answer('holds = 1'),
      answer('holds = 1, 2')
    );
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
    expect(JSON.stringify(generator.requests[3].messages)).toContain(
      'holds = 1'
    );
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
});
