import { FakeClock } from '../../testing/fakeClock';
import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import type { FakeStep } from '../../testing/fakeModel';
import { RefineError } from '../errors';
import type { IExecutor } from '../domain/executor';
import { refine } from '../loop';
import type { ILanguageModel } from '../domain/model';
import { checkCell, makeRequest } from './requests';
import { answer, deps, model, run, scored } from './sessions';

const halfway: readonly FakeStep[] = [
  { type: 'text', text: 'A thought.\n' },
  { type: 'hang' }
];

/** Neither answers nor listens. */
const deaf: ILanguageModel = {
  identity: model().identity,
  generate: () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => undefined),
      return: () => new Promise(() => undefined)
    })
  })
};

describe('stop', () => {
  it('in mid-stream aborts the call at once and keeps the best', async () => {
    const controller = new AbortController();
    const generator = model(answer('holds = 1'), halfway);
    let stoppedAt = 0;
    const { outcome, state } = await run(
      makeRequest(),
      { generator, signal: controller.signal },
      event => {
        if (event.type === 'candidate-delta' && event.attempt === 2) {
          stoppedAt = Date.now();
          controller.abort();
        }
      }
    );
    expect(Date.now() - stoppedAt).toBeLessThan(5000);
    expect(generator.aborted).toBe(1);
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'stopped',
      attempts: 2,
      scoreHistory: [0.5, null],
      best: { attempt: 1, candidate: 'holds = 1' },
      usage: { calls: 2, estimated: true }
    });
    expect(state.attempts[1].failure?.code).toBe('stopped');
    expect(state.attempts[1].feedback).toBeNull();
  });

  it('during an execution aborts it and keeps the candidate', async () => {
    const controller = new AbortController();
    const executor = new FakeExecutor(['hang']);
    const { outcome } = await run(
      makeRequest(),
      { executor, signal: controller.signal },
      event => event.type === 'candidate-end' && controller.abort()
    );
    expect(executor.aborted).toBe(1);
    expect(executor.active).toBe(0);
    expect(outcome).toMatchObject({
      stopReason: 'stopped',
      best: { attempt: 1, candidate: 'holds = 1', evaluation: 'unknown' }
    });
  });

  it('before the start calls nobody', async () => {
    const controller = new AbortController();
    controller.abort();
    const generator = model(answer('a'));
    const executor = new FakeExecutor(scored);
    const { outcome } = await run(makeRequest(), {
      generator,
      executor,
      signal: controller.signal
    });
    expect(outcome).toMatchObject({ stopReason: 'stopped', best: null });
    expect(generator.requests).toHaveLength(0);
    expect(executor.jobs).toHaveLength(0);
  });

  it('is made before the first call where a check is no Python', async () => {
    const message = "the check is not valid Python: '(' was never closed";
    const error = { name: 'SyntaxError', message, traceback: '' };
    const broken = fakeAssertion({ outcome: 'failed', error });
    const generator = model(answer('a'));
    const { outcome } = await run(
      makeRequest({ assertions: [checkCell('assert f((1) == 2', 1)] }),
      { generator, executor: new FakeExecutor([{ assertions: [broken] }]) }
    );
    expect(generator.requests).toHaveLength(0);
    expect(outcome).toMatchObject({
      stopReason: 'no-checks',
      error: {
        code: 'broken-check',
        message: `Cell 3: ${message}. Correct it, then refine again.`
      }
    });
  });

  it('while a question waits, and while paused', async () => {
    const { Steering } = await import('../session/steering');
    for (const paused of [true, false]) {
      const controller = new AbortController();
      const steering = new Steering();
      if (paused) {
        steering.pause();
      }
      setTimeout(() => controller.abort(), 10);
      const { outcome } = await run(
        makeRequest({ source: paused ? '' : 'holds = 1, 2' }),
        {
          steering,
          signal: controller.signal,
          ask: () => new Promise<boolean>(() => undefined)
        }
      );
      expect(outcome.stopReason).toBe('stopped');
      expect(outcome.passed).toBe(!paused);
    }
  });

  it('is not held up by ports that ignore their signal', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const stopped = run(
      makeRequest(),
      { generator: deaf, signal: controller.signal, clock },
      event => event.type === 'attempt-start' && controller.abort()
    );
    expect((await stopped).outcome.stopReason).toBe('stopped');
  });

  it('counts the call of a judge that ignores its signal', async () => {
    const controller = new AbortController();
    const { outcome, types } = await run(
      makeRequest({ options: { evaluators: ['assertions', 'judge'] } }),
      {
        generator: model(answer('holds = 1, 2')),
        evaluatorModel: deaf,
        signal: controller.signal
      },
      event => event.type === 'verdict-end' && controller.abort()
    );
    expect(outcome).toMatchObject({
      stopReason: 'stopped',
      usage: { calls: 2, estimated: true },
      best: { candidate: 'holds = 1, 2' }
    });
    expect(types.slice(-2)).toEqual(['attempt-end', 'session-end']);
  });

  it('waits only a moment for an execution that does not end', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const executor: IExecutor = {
      prepare: async () => new FakeExecutor([]).isolation,
      inspect: async () => [],
      run: () => new Promise(() => undefined)
    };
    const running = run(
      makeRequest(),
      { executor, signal: controller.signal, clock },
      event => event.type === 'candidate-end' && controller.abort()
    );
    let over = false;
    void running.then(() => (over = true));
    await clock.advance(1500);
    expect(over).toBe(false);
    await clock.advance(1000);
    expect((await running).outcome.stopReason).toBe('stopped');
  });
});

it('return() stops the session and waits for it', async () => {
  const generator = model(answer('holds = 1'), halfway);
  const executor = new FakeExecutor(scored);
  const stream = refine(makeRequest(), deps({ generator, executor }));
  for (;;) {
    const { value } = await stream.next();
    if ('type' in value && value.type === 'attempt-end') {
      break;
    }
  }
  await stream.return(undefined as never);
  expect(generator.requests).toHaveLength(2);
  expect(generator.active + executor.active).toBe(0);
});

describe('the time of a session', () => {
  const options = { sessionTimeout: 60 };

  it('ends an execution', async () => {
    const clock = new FakeClock();
    const executor = new FakeExecutor(['hang'], { clock });
    const running = run(makeRequest({ options }), { executor, clock });
    await clock.advance(60000);
    expect((await running).outcome).toMatchObject({
      stopReason: 'timeout',
      kernelMs: 60000,
      best: { attempt: 1 }
    });
  });

  it('stands still while a human is waited for', async () => {
    const { Steering } = await import('../session/steering');
    const clock = new FakeClock();
    const steering = new Steering();
    steering.pause();
    const generator = model(answer('holds = 1, 2'));
    const running = run(makeRequest({ options, source: 'x' }), {
      clock,
      steering,
      generator,
      ask: async () => true
    });
    await clock.advance(3_600_000);
    steering.continue();
    await clock.advance(1);
    expect((await running).outcome.stopReason).toBe('passed');
  });
});

describe('the model', () => {
  const failing = (error: unknown): FakeStep[] => [{ type: 'throw', error }];

  it('that fails ends the session with its message and the best', async () => {
    const error = new RefineError('model', 'The key was refused.', {
      code: 'unauthorized'
    });
    const { outcome, state } = await run(makeRequest(), {
      generator: model(answer('holds = 1'), failing(error))
    });
    expect(outcome).toMatchObject({
      stopReason: 'model-error',
      error: {
        code: 'unauthorized',
        message: 'The key was refused.',
        kind: 'model'
      },
      best: { attempt: 1, score: 0.5 },
      attempts: 2
    });
    expect(state.attempts[1].failure?.message).toBe('The key was refused.');
  });

  it('with a bug in it ends with where to report it', async () => {
    const { outcome } = await run(makeRequest(), {
      generator: model(failing(new TypeError('x is undefined')))
    });
    expect(outcome).toMatchObject({
      stopReason: 'internal-error',
      error: {
        code: 'internal',
        message: expect.stringMatching(
          /TypeError: x is undefined.*report it.*\/issues$/
        )
      }
    });
  });

  it('that throws before it streams', async () => {
    const throwing: ILanguageModel = {
      identity: model().identity,
      generate: () => {
        throw new Error('no stream');
      }
    };
    expect(
      (await run(makeRequest(), { generator: throwing })).outcome.error?.message
    ).toContain('no stream');
  });
});

describe('the kernel', () => {
  it.each(['kernel-died', 'kernel-restarted'] as const)(
    '%s in an execution',
    async stop => {
      const executor = new FakeExecutor([
        {
          assertions: [
            fakeAssertion(),
            fakeAssertion({ line: 2, outcome: 'failed' })
          ]
        },
        { status: 'cut', stop, stopMessage: 'It is gone.' }
      ]);
      const { outcome, state } = await run(makeRequest(), {
        executor,
        generator: model(answer('a'), answer('b'))
      });
      expect(outcome).toMatchObject({
        stopReason: stop,
        best: { attempt: 1 },
        error: { kind: 'kernel', message: 'It is gone.' }
      });
      expect(state.attempts[1].verdict?.evaluation).toBe('unknown');
    }
  );

  it('whose executor has a bug: reported, and the best kept', async () => {
    const executor = new FakeExecutor([
      {
        assertions: [
          fakeAssertion(),
          fakeAssertion({ line: 2, outcome: 'failed' })
        ]
      },
      new TypeError('oops')
    ]);
    const { outcome } = await run(makeRequest(), {
      executor,
      generator: model(answer('a'), answer('b'))
    });
    expect(outcome).toMatchObject({
      stopReason: 'internal-error',
      error: {
        code: 'internal',
        message: expect.stringMatching(/TypeError: oops.*report it.*\/issues$/)
      },
      best: { attempt: 1 }
    });
  });

  it.each([
    new Error('Canceled future'),
    new (class NetworkError extends TypeError {})('Failed to fetch')
  ])('whose transport fails: %s', async error => {
    const { outcome } = await run(makeRequest(), {
      executor: new FakeExecutor([error])
    });
    expect(outcome).toMatchObject({
      stopReason: 'kernel-died',
      error: { code: 'other', kind: 'kernel', message: error.message }
    });
  });

  it('keeps the traceback of a fork that never began', async () => {
    const { outcome } = await run(makeRequest(), {
      executor: new FakeExecutor([
        new RefineError('kernel', 'No room. It was tried twice.', {
          code: 'child-failed',
          cause: 'Traceback (most recent call last): no room'
        })
      ])
    });
    expect(outcome.error).toEqual({
      code: 'child-failed',
      kind: 'kernel',
      message: 'No room. It was tried twice.',
      traceback: 'Traceback (most recent call last): no room'
    });
  });

  it('interrupted by the user stops the session', async () => {
    const executor = new FakeExecutor([{ status: 'cut', stop: 'interrupted' }]);
    expect((await run(makeRequest(), { executor })).outcome.stopReason).toBe(
      'stopped'
    );
  });

  it('that ends an attempt at its limit goes on with the next', async () => {
    const executor = new FakeExecutor([
      {
        status: 'cut',
        stop: 'timeout',
        stopMessage: 'timeout: limit 30 s, used 30.0 s'
      },
      { assertions: [fakeAssertion(), fakeAssertion({ line: 2 })] }
    ]);
    const generator = model(answer('a'), answer('b'));
    const { outcome } = await run(makeRequest(), { executor, generator });
    expect(outcome).toMatchObject({ passed: true, attempts: 2 });
    expect(JSON.stringify(generator.requests[1])).toContain('limit 30 s');
  });

  it('whose machinery was tampered with gives no pass', async () => {
    const executor = new FakeExecutor([
      {
        assertions: [fakeAssertion(), fakeAssertion({ line: 2 })],
        tampering: ['`len` was replaced']
      }
    ]);
    const { outcome, types } = await run(
      makeRequest({ options: { maxAttempts: 1 } }),
      { executor }
    );
    expect(outcome.passed).toBe(false);
    expect(types).toContain('tamper');
  });
});

it('a bug without an outcome rejects the reader only', async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  const broken = {
    now: () => {
      throw new Error('no time');
    },
    sleep: () => new Promise<void>(() => undefined)
  };
  const stream = refine(makeRequest(), deps({ clock: broken }));
  await expect(stream.next()).rejects.toThrow('no time');
  // Rejections are reported between two macrotasks.
  await new Promise(resolve => setTimeout(resolve, 0));
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});
