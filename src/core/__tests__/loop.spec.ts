import { fakeAssertion, FakeExecutor } from '../../testing/fakeExecutor';
import { fakeEnd } from '../../testing/fakeModel';
import { refine } from '../loop';
import { Steering } from '../session/steering';
import { checkCell, makeRequest, PROSE } from './requests';
import { answer, deps, drain, model, run, scored } from './sessions';
import { RefineError } from '../errors';
import type { IExecutor } from '../domain/executor';

const noChecks = { assertions: [], holdouts: [] };

describe('attempts', () => {
  it('go on until every assertion holds, in order', async () => {
    const { types, outcome } = await run(makeRequest(), {
      generator: model(answer('holds = 1'), answer('holds = 1, 2'))
    });
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions',
      stopReason: 'passed',
      attempts: 2,
      scoreHistory: [0.5, 1],
      best: { attempt: 2, candidate: 'holds = 1, 2', passed: 2, total: 2 }
    });
    expect(types.filter(type => type !== 'candidate-delta')).toEqual([
      'session-start',
      ...[
        'attempt-start',
        'model-call',
        'usage',
        'candidate-end',
        'execution-start',
        'execution-end',
        'verdict-end',
        'feedback-end',
        'attempt-end'
      ],
      ...[
        'attempt-start',
        'model-call',
        'usage',
        'candidate-end',
        'execution-start',
        'execution-end',
        'verdict-end',
        'attempt-end'
      ],
      'session-end'
    ]);
  });

  it('end at their maximum with the best kept, not the last', async () => {
    const { outcome } = await run(
      makeRequest({ options: { maxAttempts: 3 } }),
      { generator: model(answer('a'), answer('holds = 2'), answer('b')) }
    );
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'max-attempts',
      attempts: 3,
      scoreHistory: [0, 0.5, 0],
      best: { attempt: 2, candidate: 'holds = 2', score: 0.5 }
    });
  });

  it('hand the executor the checks, the limit and a unique id', async () => {
    const executor = new FakeExecutor(scored);
    const holdouts = [checkCell('assert hidden', 1, 'holdout')];
    await run(
      makeRequest({ holdouts, options: { maxAttempts: 2, attemptTimeout: 7 } }),
      { executor, generator: model(answer('a'), answer('b')) }
    );
    expect(executor.jobs).toHaveLength(2);
    expect(new Set(executor.jobs.map(job => job.id)).size).toBe(2);
    expect(executor.jobs[0]).toMatchObject({
      holdouts,
      limits: { seconds: 7 },
      allowNetwork: false
    });
  });
});

describe('attempt 0', () => {
  it('checks what the target holds, without a call and uncounted', async () => {
    const generator = model(answer('holds = 1, 2'));
    const { outcome, state } = await run(makeRequest({ source: 'holds = 1' }), {
      generator
    });
    expect(state.attempts.map(a => a.attempt)).toEqual([0, 1]);
    expect(state.attempts[0]).toMatchObject({ prompt: [], code: 'holds = 1' });
    expect(outcome).toMatchObject({ attempts: 1, scoreHistory: [0.5, 1] });
    expect(generator.requests).toHaveLength(1);
    expect(generator.requests[0].messages).toHaveLength(2);
    expect(generator.requests[0].messages[1].content).toContain('assert f(2)');
  });

  it.each(['', '  \n', '# Write it\n', '"""Write it."""\n', '%%refine\n'])(
    'is left out for %j',
    async source => {
      const { state } = await run(makeRequest({ source }), {
        generator: model(answer('holds = 1, 2'))
      });
      expect(state.attempts.map(a => a.attempt)).toEqual([1]);
    }
  );

  it('that passes is asked about, and stays the best', async () => {
    const { outcome, types, events } = await run(
      makeRequest({ source: 'holds = 1, 2', options: { maxAttempts: 1 } }),
      { generator: model(answer('worse')), ask: async () => true }
    );
    expect(types).toContain('wait-start');
    expect(events.find(e => e.type === 'permission')).toMatchObject({
      subject: 'continue',
      granted: true
    });
    expect(outcome).toMatchObject({
      passed: true,
      stopReason: 'max-attempts',
      attempts: 1,
      best: { attempt: 0 }
    });
  });

  it('is asked about by a question that fails: do not go on', async () => {
    const { outcome, state } = await run(
      makeRequest({ source: 'holds = 1, 2' }),
      { ask: () => Promise.reject(new Error('no dialog')) }
    );
    expect(outcome.stopReason).toBe('passed');
    expect(state.warnings[0].message).toContain('no dialog');
  });
});

describe('without any check', () => {
  it('one candidate is written and run, and never passed', async () => {
    const { outcome } = await run(makeRequest(noChecks), {
      executor: new FakeExecutor([{}])
    });
    expect(outcome).toMatchObject({
      passed: false,
      checkedBy: 'none',
      stopReason: 'no-checks',
      attempts: 1,
      best: { attempt: 1, evaluation: 'unknown', score: null }
    });
  });

  it('one that raises has its error in the next prompt', async () => {
    const error = { name: 'NameError', message: "name 'x'", traceback: 'T' };
    const generator = model(answer('x'), answer('y'));
    const { outcome } = await run(makeRequest(noChecks), {
      generator,
      executor: new FakeExecutor([{ status: 'error', error }, {}])
    });
    expect(outcome).toMatchObject({ stopReason: 'no-checks', attempts: 2 });
    expect(JSON.stringify(generator.requests[1])).toContain('NameError');
  });
});

describe('answers', () => {
  it('that were cut by the token limit are not run', async () => {
    const executor = new FakeExecutor(scored);
    const generator = model(
      [
        { type: 'text', text: '```python\nholds = 1' },
        fakeEnd(undefined, 'length')
      ],
      answer('holds = 1, 2')
    );
    const { state } = await run(makeRequest(), { generator, executor });
    expect(state.attempts[0].failure?.code).toBe('truncated');
    expect(executor.jobs).toHaveLength(1);
    const { messages } = generator.requests[1];
    expect(messages[messages.length - 1].content).toContain('cut off');
  });

  it('that run on are cut where no program is so long, later ones sooner', async () => {
    const numbers = () => [
      { type: 'text' as const, text: '```python\nholds = [' },
      ...Array.from({ length: 9000 }, (_, n) => ({
        type: 'text' as const,
        text: `${n},`
      })),
      fakeEnd()
    ];
    const { state } = await run(makeRequest({ options: { maxAttempts: 2 } }), {
      generator: model(numbers, numbers)
    });
    expect(state.attempts.map(a => a.failure?.code)).toEqual([
      'truncated',
      'truncated'
    ]);
    const [first, second] = state.attempts.map(a => a.code.length / 4);
    expect(first).toBeLessThan(2300);
    expect(second).toBeLessThan(1400);
    expect(second).toBeGreaterThan(800);
  });

  it('are cut where line after line only counts on', async () => {
    const lines = [
      { type: 'text' as const, text: '```python\ndef f(n):\n' },
      ...Array.from({ length: 900 }, (_, n) => ({
        type: 'text' as const,
        text: `    if n == ${n}:\n        return 0\n`
      })),
      fakeEnd()
    ];
    const generator = model(lines);
    const { state } = await run(makeRequest({ options: { maxAttempts: 1 } }), {
      generator
    });
    expect(state.attempts[0]?.failure?.code).toBe('truncated');
    expect(state.attempts[0]?.code.length).toBeLessThan(2000);
  });

  it('that were cut after the code had closed are run', async () => {
    const generator = model([
      { type: 'text', text: answer('holds = 1, 2') + 'This is' },
      fakeEnd(undefined, 'length')
    ]);
    const { outcome } = await run(makeRequest(), { generator });
    expect(outcome).toMatchObject({ passed: true, attempts: 1 });
  });

  it('are void when the call is repeated', async () => {
    const generator = model([
      { type: 'text', text: answer('draft = 0', 'Old thought.') },
      { type: 'retry', reason: 'The provider asked to wait 1 s.', delayMs: 1 },
      { type: 'text', text: answer('holds = 1, 2', 'New thought.') },
      fakeEnd()
    ]);
    const executor = new FakeExecutor(scored);
    const { state, events, types } = await run(makeRequest(), {
      generator,
      executor
    });
    expect(state.attempts[0]).toMatchObject({
      code: 'holds = 1, 2',
      thoughts: 'New thought.'
    });
    expect(events.some(e => e.type === 'candidate-delta' && e.reset)).toBe(
      true
    );
    expect(events.find(e => e.type === 'wait-start')).toMatchObject({
      for: 'model',
      reason: 'The provider asked to wait 1 s. The answer starts again.'
    });
    expect(types.filter(type => type === 'wait-end')).toHaveLength(1);
  });
});

describe('an execution', () => {
  it('contains what the notebook knows of names', async () => {
    const executor = new FakeExecutor(scored);
    const names = {
      hiddenNames: ['expected'],
      hiddenData: ['X_test'],
      ownNames: ['total'],
      askedNames: ['total']
    };
    await run(
      { ...makeRequest(), ...names },
      {
        generator: model(answer('holds = 1, 2')),
        executor
      }
    );
    expect(executor.jobs).toEqual([expect.objectContaining(names)]);
  });

  it('previews output and assertions, and waits for the kernel', async () => {
    const executor = new FakeExecutor(scored, {
      progress: () => [
        { type: 'waiting', reason: 'cell [12] is running' },
        { type: 'started' },
        { type: 'output', stream: 'stdout', text: 'hello' },
        { type: 'assertion', result: fakeAssertion() }
      ]
    });
    const { types } = await run(makeRequest({ source: 'holds = 1, 2' }), {
      executor
    });
    expect(types.slice(3, 9)).toEqual([
      'execution-start',
      'wait-start',
      'wait-end',
      'execution-output',
      'assertion-end',
      'execution-end'
    ]);
  });
});

it('the budget of money says so when the price is unknown', async () => {
  const { outcome, state } = await run(
    makeRequest({ options: { maxCost: 0.000001, maxAttempts: 2 } }),
    { generator: model(answer('a'), answer('b')) }
  );
  expect(outcome).toMatchObject({ attempts: 2, usage: { cost: null } });
  expect(state.warnings).toHaveLength(1);
  expect(state.warnings[0].message).toContain('price of fake-1 is unknown');
});

describe('steering', () => {
  it('ends after the last attempt without a pause', async () => {
    const steering = new Steering();
    const { outcome } = await run(
      makeRequest({ options: { maxAttempts: 1 } }),
      { generator: model(answer('a')), steering },
      event => event.type === 'candidate-end' && steering.pause()
    );
    expect(outcome).toMatchObject({ attempts: 1, stopReason: 'max-attempts' });
  });

  it('puts hints into the next prompt and the later ones', async () => {
    const steering = new Steering();
    steering.hint('Mind the base case.');
    const generator = model(answer('a'), answer('b'), answer('holds = 1, 2'));
    const { state } = await run(
      makeRequest(),
      { generator, steering },
      event => {
        if (event.type === 'attempt-end' && event.attempt === 1) {
          steering.hint('Use a loop.');
        }
      }
    );
    const sent = generator.requests.map(request => JSON.stringify(request));
    expect(sent[0]).toContain('Mind the base case.');
    expect(sent[2]).toContain('Mind the base case.');
    expect(sent[2]).toContain('Use a loop.');
    expect(state.hints).toEqual(['Mind the base case.', 'Use a loop.']);
  });
});

describe('going on after the end', () => {
  it('continues the numbers, remembers, and counts usage on', async () => {
    const request = makeRequest({ options: { maxAttempts: 2 } });
    const first = await run(request, {
      generator: model(answer('holds = 2'), answer('b'))
    });
    const generator = model(answer('c'), answer('holds = 1, 2'));
    const second = await drain(
      refine(request, deps({ generator }), first.state),
      undefined,
      first.state
    );
    expect(second.state.attempts.map(a => a.attempt)).toEqual([1, 2, 3, 4]);
    expect(second.outcome).toMatchObject({
      passed: true,
      attempts: 4,
      scoreHistory: [0.5, 0, 0, 1],
      usage: { calls: 4 }
    });
  });

  it('leaves out an attempt that a stop cut off', async () => {
    const controller = new AbortController();
    const first = await run(
      makeRequest(),
      {
        generator: model([
          { type: 'text', text: 'Half an answer.\n' },
          { type: 'hang' }
        ]),
        signal: controller.signal
      },
      event => event.type === 'candidate-delta' && controller.abort()
    );
    const generator = model(answer('holds = 1, 2'));
    await drain(
      refine(makeRequest(), deps({ generator }), first.state),
      undefined,
      first.state
    );
    expect(generator.requests[0].messages).toHaveLength(2);
  });
});

it('a markdown target runs nothing when nothing reads it', async () => {
  const executor = new FakeExecutor([{}]);
  const { outcome } = await run(
    makeRequest({ ...noChecks, target: PROSE, options: { maxAttempts: 1 } }),
    { generator: model('Text.'), executor }
  );
  expect(executor.jobs).toHaveLength(0);
  expect(outcome).toMatchObject({ passed: false, stopReason: 'no-checks' });
});

describe('a kernel that cannot be prepared', () => {
  async function started(error: Error, controller = new AbortController()) {
    const executor: IExecutor = new FakeExecutor([]);
    executor.prepare = () => {
      if (error.message === 'stopped') {
        controller.abort();
      }
      return Promise.reject(error);
    };
    return run(makeRequest(), { executor, signal: controller.signal });
  }

  it('starts the session with the reason, and ends it', async () => {
    const { events, outcome } = await started(new Error('no such kernel'));
    expect(events[0]).toMatchObject({
      type: 'session-start',
      model: { profile: expect.any(String) },
      isolation: {
        mode: 'live',
        memory: false,
        files: 'open',
        network: false,
        reasons: ['no such kernel']
      }
    });
    expect(outcome).toMatchObject({
      stopReason: 'kernel-died',
      error: { code: 'other', kind: 'kernel', message: 'no such kernel' }
    });
  });

  it('is reported as restarted when it was', async () => {
    const { outcome } = await started(
      new RefineError('kernel', 'It was restarted.', {
        code: 'kernel-restarted'
      })
    );
    expect(outcome).toMatchObject({
      stopReason: 'kernel-restarted',
      error: { code: 'kernel-restarted', message: 'It was restarted.' }
    });
  });
});
