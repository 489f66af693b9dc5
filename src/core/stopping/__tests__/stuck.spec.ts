import {
  FakeExecutor,
  fakeAssertion,
  fakeExecution
} from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { makeRequest } from '../../__tests__/requests';
import { refine } from '../../loop';
import { Steering } from '../../session/steering';
import {
  answer,
  deps,
  drain,
  model,
  run,
  scored
} from '../../__tests__/sessions';
import { circles, lastRestart, repeatedAttempt } from '../stuck';
import type { AttemptState } from '../../events/state';
import { attemptOf, stateOf, verdictOf } from '../../__tests__/states';

/** Fail in the same way, whatever the candidate. */
const sameFailure = () => ({
  assertions: [
    fakeAssertion({ line: 1 }),
    fakeAssertion({ line: 2, outcome: 'failed' as const })
  ]
});
const otherFailure = () => ({
  assertions: [fakeAssertion({ line: 1, outcome: 'failed' as const })]
});
const warm = (m: FakeModel) => m.requests.map(r => r.temperature);

describe('a repeated candidate', () => {
  it('is neither run nor judged again', async () => {
    const executor = new FakeExecutor(scored);
    const { events, state, outcome } = await run(
      makeRequest({ options: { maxAttempts: 2 } }),
      {
        executor,
        generator: model(
          answer('def f():\n    a = 1  # holds 1\n    return a'),
          answer('def f():\n    b = 1\n\n    return b')
        )
      }
    );
    expect(executor.jobs).toHaveLength(1);
    expect(events.find(e => e.type === 'repeat')).toMatchObject({
      attempt: 2,
      of: 1
    });
    expect(state.attempts[1]).toMatchObject({
      repeatOf: 1,
      execution: state.attempts[0].execution,
      verdict: state.attempts[0].verdict
    });
    expect(outcome).toMatchObject({
      scoreHistory: [0.5, 0.5],
      best: { attempt: 1 }
    });
  });

  it('of what the cell held is one too', async () => {
    const executor = new FakeExecutor(scored);
    const { state } = await run(
      makeRequest({ source: 'holds = 1', options: { maxAttempts: 1 } }),
      { executor, generator: model(answer('holds = 1  # again')) }
    );
    expect(executor.jobs).toHaveLength(1);
    expect(state.attempts[1].repeatOf).toBe(0);
  });

  it('is run live, and after the kernel may have changed', async () => {
    const options = { maxAttempts: 2 };
    const live = new FakeExecutor(scored, {
      isolation: { mode: 'live', memory: false }
    });
    const first = await run(makeRequest({ options }), { executor: live });
    expect(live.jobs).toHaveLength(2);
    const executor = new FakeExecutor(scored);
    const { state } = await drain(
      refine(makeRequest({ options }), deps({ executor }), first.state),
      undefined,
      first.state
    );
    expect(executor.jobs).toHaveLength(1);
    expect(state.attempts.map(a => a.repeatOf)).toEqual([null, null, null, 3]);
  });
});

describe('a fresh start', () => {
  const codes = [...'abcdefghij'].map(x => answer(`${x} = 0`, `Thought ${x}.`));

  it('comes after restartAfter equal failures, one later if new', async () => {
    const generator = model(...codes);
    const { events, state } = await run(
      makeRequest({ options: { maxAttempts: 9, restartAfter: 2 } }),
      {
        generator,
        executor: new FakeExecutor(({ candidate }) =>
          candidate < 'e' ? sameFailure() : otherFailure()
        )
      }
    );
    const restarts = events.filter(e => e.type === 'restart');
    expect(restarts.map(e => e.attempt)).toEqual([5, 9]);
    expect(restarts[0].reason).toBe(
      'Attempts in a row without anything new: 3. A fresh start follows.'
    );
    expect(state.restarts).toEqual([5, 9]);
    const { messages } = generator.requests[4];
    expect(messages).toHaveLength(2);
    expect(messages[1].content).toContain(
      '- attempt 3: 1 of 2, fails True: Thought c'
    );
    expect(messages[1].content).not.toContain('c = 0');
    expect(warm(generator)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      1,
      1,
      1,
      1,
      expect.closeTo(1.3)
    ]);
  });

  it('comes at once where the last program is a repeat', async () => {
    const { state } = await run(
      makeRequest({ options: { maxAttempts: 4, restartAfter: 2 } }),
      {
        generator: model(codes[0], codes[1], codes[0], codes[2]),
        executor: new FakeExecutor(sameFailure)
      }
    );
    expect(state.restarts).toEqual([4]);
  });

  it('comes after repeats, whatever the temperature that was set', async () => {
    const generator = model(
      answer('a = 0'),
      answer('a = 0'),
      answer('b()'),
      answer('c[0]'),
      answer('c[0]'),
      answer('d()')
    );
    const { state } = await run(
      makeRequest({
        options: { maxAttempts: 6, restartAfter: 1, temperature: 0.2 }
      }),
      { generator }
    );
    expect(state.restarts).toEqual([3, 6]);
    expect(warm(generator)).toEqual([
      0.2,
      0.2,
      0.5,
      0.5,
      0.5,
      expect.closeTo(0.8)
    ]);
  });

  it('does not come with a hint, which speaks of what was tried', async () => {
    const steering = new Steering();
    const generator = model(...codes);
    const { state } = await run(
      makeRequest({ options: { maxAttempts: 6 } }),
      { generator, steering, executor: new FakeExecutor(sameFailure) },
      event =>
        event.type === 'attempt-start' &&
        event.attempt === 4 &&
        steering.hint('Use a loop.')
    );
    expect(state.restarts).toEqual([6]);
    expect(generator.requests[4].messages.length).toBeGreaterThan(2);
  });

  it('does not come while failures differ', async () => {
    const { types } = await run(makeRequest({ options: { maxAttempts: 4 } }), {
      generator: model(...codes),
      executor: new FakeExecutor(job => ({
        status: 'error',
        error: { name: 'E', message: job.candidate, traceback: '' }
      }))
    });
    expect(types).not.toContain('restart');
  });

  it('that did not help lets the stronger model take over', async () => {
    const generator = model(...codes);
    const strongerModel = new FakeModel([answer('z = 0')], {
      identity: { model: 'big' }
    });
    const { events } = await run(
      makeRequest({ options: { maxAttempts: 10 } }),
      {
        generator,
        strongerModel,
        executor: new FakeExecutor(sameFailure)
      }
    );
    expect(generator.requests).toHaveLength(8);
    expect(strongerModel.requests).toHaveLength(2);
    expect(warm(strongerModel)[0]).toBeUndefined();
    expect(events.filter(e => e.type === 'restart').map(e => e.reason)[1]).toBe(
      'Attempts in a row without anything new: 3. big takes over.'
    );
  });
});

describe('policies over scores', () => {
  const byNumber = new FakeExecutor(job => {
    const held = Number(/\d+/.exec(job.candidate)?.[0]);
    return {
      assertions: Array.from({ length: 10 }, (_, i) =>
        fakeAssertion({ line: i + 1, outcome: i < held ? 'passed' : 'failed' })
      )
    };
  });
  const play = (scores: readonly number[], options: object) =>
    run(
      makeRequest({
        options: { maxAttempts: 10, restartAfter: 100, ...options }
      }),
      {
        executor: byNumber,
        generator: model(
          ...scores.map((s, i) =>
            answer(`x${'y'.repeat(i)} = ${s}`.replace(/x(y*)/, '$1x'))
          )
        )
      }
    );

  it.each([
    [
      'a target stops when it is reached',
      [5, 8, 9],
      { targetScore: 0.8 },
      'target',
      2,
      true
    ],
    [
      'patience stops a score that stands still',
      [5, 5, 5, 5, 9],
      { patience: 3 },
      'patience',
      4,
      true
    ],
    [
      'a score that swings never stands still',
      [2, 6, 2, 6],
      { patience: 2, maxAttempts: 4 },
      'max-attempts',
      4,
      false
    ]
  ] as const)(
    '%s',
    async (_, scores, options, stopReason, attempts, converged) => {
      const { outcome } = await play(scores, options);
      expect(outcome).toMatchObject({
        stopReason,
        attempts,
        converged,
        passed: false
      });
    }
  );
});

describe('memory', () => {
  const codes = ['holds = 2', 'b = 0', 'c = 0', 'd = 0'];
  const play = async (memory: 'all' | 'compact' | 'best', options = {}) => {
    const generator = model(...codes.map(code => answer(code)));
    const ended = await run(
      makeRequest({
        options: { maxAttempts: 4, memory, restartAfter: 50, ...options }
      }),
      { generator }
    );
    return { ...ended, prompts: generator.requests.map(r => r.messages) };
  };

  it('all: every attempt; each prompt extends the one before it', async () => {
    const { prompts } = await play('all');
    for (let i = 1; i < prompts.length; i++) {
      expect(prompts[i].slice(0, prompts[i - 1].length)).toEqual(
        prompts[i - 1]
      );
      expect(prompts[i]).toHaveLength(2 + 2 * i);
    }
  });

  it('all: a hint stays where it was sent first', async () => {
    const { Steering } = await import('../../session/steering');
    const steering = new Steering();
    const generator = model(...codes.map(code => answer(code)));
    await run(
      makeRequest({
        options: { maxAttempts: 4, memory: 'all', restartAfter: 50 }
      }),
      { generator, steering },
      event =>
        event.type === 'attempt-start' &&
        steering.hint(`Hint ${event.attempt}.`)
    );
    const prompts = generator.requests.map(r => r.messages);
    expect(prompts[3].slice(0, prompts[2].length)).toEqual(prompts[2]);
    expect(JSON.stringify(prompts[3]).match(/Hint 1\./g)).toHaveLength(1);
    expect(prompts[3][prompts[3].length - 1].content).toContain('Hint 3.');
  });

  it('is limited: the oldest take one line each', async () => {
    const long = 'x'.repeat(40000);
    const generator = model(
      answer(`a = "${long}"`, 'First.'),
      answer(`b = "${long}"`, 'Second.'),
      answer('c = 0', 'Third.')
    );
    const { state } = await run(
      makeRequest({
        options: { maxAttempts: 3, memory: 'all', restartAfter: 50 }
      }),
      { generator, executor: new FakeExecutor(scored) }
    );
    const third = generator.requests[2].messages;
    expect(third).toHaveLength(4);
    expect(third[2].content).toContain('b = "');
    expect(third[3].content).toContain(
      '- attempt 1: 0 of 2, fails f(1): First'
    );
    expect(state.warnings[0].message).toContain(
      'attempts 1 are shortened to one line each'
    );
  });
});

describe('calls that would be wasted', () => {
  const crash = () => ({
    status: 'cut' as const,
    stop: 'crashed' as const,
    stopMessage: 'crashed: signal 11 (SIGSEGV)'
  });
  const programs = (count: number) =>
    model(...Array.from({ length: count }, (_, i) => answer(`x = ${i}`)));
  const maxAttempts = (count: number) =>
    makeRequest({ options: { maxAttempts: count, restartAfter: 9 } });

  it('are not made where different programs crash alike', async () => {
    const generator = programs(8);
    const { outcome, state } = await run(maxAttempts(8), {
      generator,
      executor: new FakeExecutor(crash)
    });
    expect(outcome).toMatchObject({ stopReason: 'patience', attempts: 3 });
    expect(outcome.best).not.toBeNull();
    expect(generator.requests).toHaveLength(3);
    expect(state.warnings.map(w => w.message)).toEqual([
      expect.stringMatching(/^Attempts 2 and 3 .*signal 11 \(SIGSEGV\)/)
    ]);
  });

  it('are not made where the harness fails twice alike', async () => {
    const failing = {
      status: 'cut' as const,
      stop: 'harness' as const,
      stopMessage: 'the harness failed: OSError: no room'
    };
    const { outcome } = await run(maxAttempts(8), {
      generator: programs(8),
      executor: new FakeExecutor([failing, failing, failing, failing])
    });
    expect(outcome).toMatchObject({ stopReason: 'patience', attempts: 3 });
  });

  it('are reported as the limit where that is reached as well', async () => {
    const { outcome, state } = await run(maxAttempts(3), {
      generator: programs(3),
      executor: new FakeExecutor(crash)
    });
    expect(outcome.stopReason).toBe('max-attempts');
    expect(state.warnings).toEqual([]);
  });

  it('are made with a hint that waits', async () => {
    const steering = new Steering();
    const { outcome } = await run(
      maxAttempts(4),
      {
        generator: programs(4),
        executor: new FakeExecutor(crash),
        steering
      },
      event => {
        if (event.type === 'attempt-end' && event.attempt === 3) {
          steering.hint('Use another library.');
        }
      }
    );
    expect(outcome).toMatchObject({ attempts: 4, stopReason: 'max-attempts' });
  });

  describe('after a fresh start that repeats a program', () => {
    const request = makeRequest({
      options: { maxAttempts: 8, restartAfter: 2 }
    });
    const executor = () => new FakeExecutor(scored);

    it('are not made', async () => {
      const generator = model(answer('holds = 1'));
      const { outcome, state } = await run(request, {
        generator,
        executor: executor()
      });
      expect(outcome).toMatchObject({
        stopReason: 'patience',
        attempts: 5,
        best: { attempt: 1 }
      });
      expect(state.restarts).toEqual([4]);
      expect(state.warnings[0].message).toMatch(
        /^4 of 5 answers were repeated programs, even after a fresh start/
      );
    });

    it('are made by the stronger model', async () => {
      const strongerModel = model(answer('holds = 1, 2'));
      const { outcome } = await run(request, {
        generator: model(answer('holds = 1')),
        strongerModel,
        executor: executor()
      });
      expect(strongerModel.requests).toHaveLength(1);
      expect(outcome.passed).toBe(true);
    });
  });
});

const failing = (repr: string) =>
  fakeExecution({
    assertions: [
      fakeAssertion({
        outcome: 'failed',
        observed: { repr, type: 'int' }
      } as Parameters<typeof fakeAssertion>[0])
    ]
  });

describe('an attempt that is repeated', () => {
  const verdict = verdictOf();
  const found = (
    parts: Partial<AttemptState>,
    code = 'x = 1',
    before = 2,
    since = 0
  ) =>
    repeatedAttempt(
      stateOf([attemptOf(1, { verdict, ...parts })]),
      code,
      before,
      since
    )?.attempt ?? null;

  it('is the same program, spaces and comments aside', () => {
    expect(found({})).toBe(1);
    expect(found({}, 'x  =  1  # again')).toBe(1);
    expect(found({}, 'x = 2')).toBeNull();
  });

  it('has ended with a verdict that holds', () => {
    expect(found({ failure: { code: 'no-code', message: '' } })).toBeNull();
    expect(found({ verdict: null })).toBeNull();
    expect(found({ verdict: verdictOf({ evaluation: 'unknown' }) })).toBeNull();
    expect(found({ phase: 'judging' })).toBeNull();
  });

  it('was denied nothing', () => {
    expect(found({ execution: fakeExecution() })).toBe(1);
    expect(
      found({ execution: fakeExecution({ denied: ['network'] as never }) })
    ).toBeNull();
  });

  it('is an earlier one of this run', () => {
    expect(found({}, 'x = 1', 1)).toBeNull();
    expect(found({}, 'x = 1', 2, 1)).toBe(1);
    expect(found({}, 'x = 1', 3, 2)).toBeNull();
  });

  it('is looked for without a request, too', () => {
    const state = stateOf([attemptOf(1)], { request: null });
    expect(repeatedAttempt(state, 'x = 1', 2, 0)?.attempt).toBe(1);
  });
});

describe('circles', () => {
  const count = (
    attempts: readonly AttemptState[],
    enough = 1,
    restarts?: readonly number[]
  ) => circles(stateOf(attempts, { restarts }), enough);
  const repeat = (n: number, parts: Partial<AttemptState> = {}) =>
    attemptOf(n, { repeatOf: 1, ...parts });

  it('are repeats at the end', () => {
    expect(count([])).toBe(0);
    expect(count([attemptOf(1), repeat(2), repeat(3)])).toBe(2);
    expect(count([attemptOf(1), repeat(2), repeat(3)], 2)).toBe(2);
    expect(count([attemptOf(1), repeat(2), repeat(3)], 3)).toBe(0);
    expect(count([attemptOf(1), repeat(2), attemptOf(3)])).toBe(0);
  });

  it('do not count what the cell held, nor what has not ended', () => {
    expect(count([repeat(0), repeat(1)])).toBe(1);
    expect(count([repeat(1), repeat(2, { phase: 'running' })])).toBe(1);
  });

  it('begin anew with a fresh start', () => {
    expect(count([repeat(2), repeat(3), repeat(4)], 1, [3])).toBe(2);
    expect(count([repeat(2), repeat(3), repeat(4)], 1, [2, 4])).toBe(1);
    expect(lastRestart(stateOf([], { restarts: [2, 5] }))).toBe(5);
    expect(lastRestart(stateOf([]))).toBe(0);
  });

  it('are repeated failures; a new program has one more attempt', () => {
    const [a, b] = [failing('1'), failing('2')];
    const fail = (n: number, execution = a) => attemptOf(n, { execution });
    expect(count([fail(1), fail(2)])).toBe(0);
    expect(count([fail(1), fail(2), fail(3)])).toBe(2);
    expect(count([fail(1), fail(2, b), fail(3)], 0)).toBe(1);
    expect(count([fail(1), fail(2, b)], 0)).toBe(0);
    expect(count([fail(1), fail(2), repeat(3)], 2)).toBe(2);
  });

  it('are not made of attempts without a failure', () => {
    expect(count([attemptOf(1), attemptOf(2), attemptOf(3)], 0)).toBe(0);
  });

  it('count one of the candidates of a prompt', () => {
    const fail = (n: number, candidate?: number) =>
      attemptOf(n, { execution: failing('1'), candidate });
    expect(count([fail(1, 0), fail(2, 1), fail(3, 2)])).toBe(0);
    expect(count([fail(1, 0), fail(2, 1), fail(3), fail(4)])).toBe(2);
  });
});
