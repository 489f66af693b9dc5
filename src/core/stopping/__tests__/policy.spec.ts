import fc from 'fast-check';
import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import {
  anyOf,
  attemptsStarted,
  maxAttempts,
  wastedCalls,
  whenPassed,
  whenReached,
  whenPlateau,
  whenUncheckable
} from '../policy';
import type { AttemptState } from '../../events/state';
import { attemptOf, stateOf, verdictOf } from '../../__tests__/states';

const pass = verdictOf({ evaluation: 'pass', score: 1 });

it('several policies: the first that has a reason gives it', () => {
  const never = () => null;
  expect(anyOf()(stateOf([]))).toBeNull();
  expect(anyOf(never, never)(stateOf([]))).toBeNull();
  expect(
    anyOf(
      never,
      () => 'target',
      () => 'passed'
    )(stateOf([]))
  ).toBe('target');
});

describe('passed', () => {
  it('is said of any attempt of this run', () => {
    const state = stateOf([
      attemptOf(1),
      attemptOf(2, { verdict: pass }),
      attemptOf(3, { verdict: null })
    ]);
    expect(whenPassed(1)(state)).toBe('passed');
    expect(whenPassed(2)(state)).toBe('passed');
    expect(whenPassed(3)(state)).toBeNull();
  });

  it('is not said of attempts without a verdict', () => {
    expect(
      whenPassed(1)(stateOf([attemptOf(1, { verdict: null })]))
    ).toBeNull();
    expect(whenPassed(1)(stateOf([]))).toBeNull();
  });
});

describe('a target that nothing checks', () => {
  const ended = (parts: Partial<AttemptState>, number = 1) =>
    whenUncheckable(stateOf([attemptOf(number, parts)]));

  it('is done when what the model wrote ran, or is no code', () => {
    expect(ended({ execution: fakeExecution() })).toBe('no-checks');
    expect(ended({ execution: null })).toBe('no-checks');
  });

  it('is not done before the model wrote, nor when it failed', () => {
    expect(whenUncheckable(stateOf([]))).toBeNull();
    expect(ended({ execution: fakeExecution() }, 0)).toBeNull();
    expect(ended({ execution: fakeExecution({ status: 'error' }) })).toBeNull();
    expect(ended({ failure: { code: 'no-code', message: 'm' } })).toBeNull();
  });

  it('is decided by the last attempt', () => {
    const failed = attemptOf(2, {
      execution: fakeExecution({ status: 'error' })
    });
    expect(whenUncheckable(stateOf([attemptOf(1), failed]))).toBeNull();
    expect(whenUncheckable(stateOf([failed, attemptOf(3)]))).toBe('no-checks');
  });
});

describe('a target', () => {
  const metric = (value: number, goal: 'min' | 'max') =>
    verdictOf({ score: 0.99, metric: { name: 'm', value, goal } });
  const best = (verdict: AttemptState['verdict']) =>
    stateOf([attemptOf(1), attemptOf(2, { verdict }), attemptOf(3)], {
      best: 2
    });

  it.each([
    ['a score at it', verdictOf({ score: 0.8 }), 0.8, 'target'],
    ['a score above it', verdictOf({ score: 0.9 }), 0.8, 'target'],
    ['a score below it', verdictOf({ score: 0.79 }), 0.8, null],
    ['no score', verdictOf(), 0, null],
    ['no verdict', null, 0, null],
    ['a metric to minimise at it', metric(5, 'min'), 5, 'target'],
    ['a metric to minimise below it', metric(4, 'min'), 5, 'target'],
    ['a metric to minimise above it', metric(6, 'min'), 5, null],
    ['a metric to maximise above it', metric(6, 'max'), 5, 'target'],
    [
      'a metric to maximise below it, whatever the score',
      metric(0, 'max'),
      0.5,
      null
    ],
    ['a metric of 0', metric(0, 'min'), 0, 'target']
  ] as const)('%s', (_, verdict, target, reason) => {
    expect(whenReached(target, 1)(best(verdict))).toBe(reason);
  });

  it('is none when none is set, or before this run', () => {
    const state = best(verdictOf({ score: 1 }));
    expect(whenReached(null, 1)(state)).toBeNull();
    expect(whenReached(0.5, 2)(state)).toBe('target');
    expect(whenReached(0.5, 3)(state)).toBeNull();
    expect(whenReached(0.5, 1)({ ...state, best: null })).toBeNull();
  });
});

describe('patience', () => {
  const scores = (
    values: readonly (number | null)[],
    parts: (index: number) => Partial<AttemptState> = () => ({})
  ) =>
    stateOf(
      values.map((score, i) =>
        attemptOf(i, { verdict: verdictOf({ score }), ...parts(i) })
      )
    );

  it('counts attempts in a row that move by no more than minDelta', () => {
    // Attempt 0 is not counted from 1 on.
    const state = scores([0.9, 0.5, 0.6, 0.5]);
    expect(whenPlateau(2, 0.11, 1)(state)).toBe('patience');
    expect(whenPlateau(3, 0.11, 1)(state)).toBeNull();
    expect(whenPlateau(2, 0.05, 1)(state)).toBeNull();
    expect(whenPlateau(null, 1, 1)(state)).toBeNull();
  });

  it('begins anew with this run, and with each movement', () => {
    const state = scores([0.5, 0.5, 0.5, 0.9, 0.9]);
    expect(whenPlateau(1, 0, 0)(state)).toBe('patience');
    expect(whenPlateau(2, 0, 0)(state)).toBeNull();
    expect(whenPlateau(1, 0, 4)(state)).toBeNull();
  });

  it('passes over what has no score', () => {
    const state = scores([0.5, null, 0.5]);
    expect(whenPlateau(1, 0, 0)(state)).toBe('patience');
    expect(whenPlateau(2, 0, 0)(state)).toBeNull();
    expect(whenPlateau(1, 0, 0)(scores([null, null, null]))).toBeNull();
  });

  it('counts one of the candidates of a prompt', () => {
    const state = scores([0.5, 0.5, 0.5], i => ({ candidate: i }));
    expect(whenPlateau(1, 0, 0)(state)).toBeNull();
  });

  it('looks at the metric, where there is one', () => {
    const state = scores([0.5, 0.5, 0.5], i => ({
      verdict: verdictOf({
        score: 0.5,
        metric: { name: 'ms', value: i * 10, goal: 'min' }
      })
    }));
    expect(whenPlateau(1, 5, 0)(state)).toBeNull();
    expect(whenPlateau(2, 10, 0)(state)).toBe('patience');
  });
});

describe('calls that would be wasted', () => {
  const crashed = (
    number: number,
    parts: Partial<AttemptState> = {},
    message: string | null = 'Segmentation fault'
  ) =>
    attemptOf(number, {
      execution: fakeExecution({
        status: 'cut',
        stop: 'crashed',
        ...(message === null ? {} : { stopMessage: message })
      }),
      ...parts
    });
  const said = (...attempts: readonly AttemptState[]) =>
    wastedCalls(stateOf(attempts), 1, false, 2);
  const [one, two, three] = [crashed(1), crashed(2), crashed(3)];

  it('are reported with the attempts and their messages', () => {
    expect(said(one, two, three)).toContain(
      'Attempts 2 and 3 are different programs and ended with the same error (Segmentation fault)'
    );
  });

  it.each([
    ['before the third attempt', [two, three]],
    ['when the last did not crash', [one, two, attemptOf(3)]],
    ['when the one before did not crash', [one, attemptOf(2), three]],
    ['when it crashed in another way', [one, two, crashed(3, {}, 'Killed')]],
    [
      'when nothing was said of it',
      [one, crashed(2, {}, null), crashed(3, {}, null)]
    ],
    [
      'when it was the same program',
      [one, two, crashed(3, { code: 'x = 2  # again' })]
    ],
    [
      'when it was one of several candidates',
      [one, two, crashed(3, { candidate: 0 })]
    ],
    [
      'when it was a repeat, which did not run',
      [one, two, crashed(3, { repeatOf: 2 })]
    ],
    [
      'when it was cut for another reason',
      [2, 3, 4].map(n =>
        attemptOf(n, {
          execution: fakeExecution({
            status: 'cut',
            stop: 'timeout',
            stopMessage: 'too long'
          })
        })
      )
    ]
  ] as const)('are made %s', (_, attempts) => {
    expect(said(...attempts)).toBeNull();
  });

  it('does not count attempt 0, nor attempts before this run', () => {
    const state = stateOf([crashed(0), one, two]);
    expect(wastedCalls(state, 0, false, 2)).toBeNull();
    expect(wastedCalls(stateOf([one, two, three]), 2, false, 2)).toBeNull();
    expect(wastedCalls(stateOf([one, two, three]), 1, false, 2)).not.toBeNull();
  });

  it('are made while a hint waits, and not after it was used', () => {
    const hinted = (used: readonly string[]) =>
      stateOf([one, two, { ...three, hints: used }], { hints: ['Try f.'] });
    expect(wastedCalls(hinted([]), 1, false, 2)).toBeNull();
    expect(wastedCalls(hinted(['Try f.']), 1, false, 2)).not.toBeNull();
  });

  describe('after a fresh start', () => {
    const failing = (observed: string) =>
      fakeExecution({
        assertions: [
          fakeAssertion({ outcome: 'failed', observed: value(observed) })
        ]
      });
    const value = (repr: string) => ({
      expression: 'f(1)',
      repr,
      type: 'int'
    });
    /** One letter an attempt: an earlier letter is a repeat; `=` fails like the first. */
    const made = (letters: string) =>
      [...letters].map((letter, i) => {
        const first = letters.indexOf(letter);
        const again = letter !== '=' && first < i;
        return attemptOf(i + 1, {
          code: `x = ${i}`,
          repeatOf: again ? first + 1 : null,
          execution: failing(letter === '=' ? letters.charAt(0) : letter)
        });
      });
    const wasted = (
      letters: string,
      restarts: readonly number[] | undefined,
      stronger = false
    ) => wastedCalls(stateOf(made(letters), { restarts }), 1, stronger, 2);

    it('are reported with what was repeated', () => {
      expect(wasted('abbb', [4])).toContain(
        'Attempt 4 was a fresh start, but repeated the program of attempt 2'
      );
      expect(wasted('abaca', [4])).toBeNull();
      expect(wasted('aaaaa', [4])).toContain(
        '4 of 5 answers were repeated programs, even after a fresh start'
      );
    });

    it.each([
      ['one program', 'aaaa', [4]],
      ['two programs in turn', 'abab', [4]],
      ['one program, after an early fresh start', 'aaaa', [3]]
    ])('have one more answer after %s', (_, letters, restarts) => {
      expect(wasted(letters, restarts)).toBeNull();
      const [next = ''] = letters.at(-2) ?? '';
      expect(wasted(`${letters}${next}`, restarts)).not.toBeNull();
    });

    it.each([
      ['where the fresh start brought a new program', 'aaabc', [4]],
      ['while fewer than half are repeats', 'abcdefa', [7]],
      ['while failures differ', 'abcdefgh', [4]]
    ])('are made %s', (_, letters, restarts) => {
      expect(wasted(letters, restarts)).toBeNull();
    });

    it('are made without a fresh start', () => {
      expect(wasted('aaaaaaaa', undefined)).toBeNull();
      expect(wasted('aaaaaaaa', [])).toBeNull();
    });

    it('are made with a stronger model until its second answer', () => {
      expect(wasted('aaaaaa', [3], true)).toBeNull();
      expect(wasted('aaaaaa', [3, 6], true)).toBeNull();
      expect(wasted('aaaaaaa', [3, 6], true)).not.toBeNull();
    });
  });

  describe('of any session', () => {
    const session = fc.record({
      programs: fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      restart: fc.integer({ min: 2, max: 12 })
    });
    const stateAfter = (programs: readonly number[], restart: number) =>
      stateOf(
        programs.map((program, i) => {
          const first = programs.indexOf(program);
          return attemptOf(i + 1, {
            code: `x = ${program}`,
            repeatOf: first < i ? first + 1 : null
          });
        }),
        { restarts: restart <= programs.length ? [restart] : [] }
      );

    it('are made until a fresh start, and a fifth where two take turns', () => {
      fc.assert(
        fc.property(session, ({ programs, restart }) => {
          const turns = programs.every(
            (program, i) => i < 2 || program === programs[i - 2]
          );
          if (programs.length < Math.max(restart, turns ? 5 : 0)) {
            const state = stateAfter(programs, restart);
            expect(wastedCalls(state, 1, false, 2)).toBeNull();
          }
        })
      );
    });

    it('are made after an answer that is new in program and failure', () => {
      fc.assert(
        fc.property(session, ({ programs, restart }) => {
          const state = stateAfter([...programs, 9], restart);
          expect(wastedCalls(state, 1, false, 2)).toBeNull();
        })
      );
    });

    it('are not made once repeats go on after a fresh start', () => {
      fc.assert(
        fc.property(session, ({ programs, restart }) => {
          const [last] = programs;
          const more = [...programs, ...Array<number>(7).fill(last ?? 0)];
          const state = stateAfter(more, Math.min(restart, more.length - 1));
          expect(wastedCalls(state, 1, false, 2)).not.toBeNull();
        })
      );
    });
  });
});

it('attempts are counted from this run on, and attempt 0 is none', () => {
  const state = stateOf([attemptOf(0), attemptOf(1), attemptOf(2)]);
  expect(attemptsStarted(state)).toBe(2);
  expect(maxAttempts(2)(state)).toBe('max-attempts');
  expect(maxAttempts(1)(state)).toBe('max-attempts');
  expect(maxAttempts(3)(state)).toBeNull();
  expect(maxAttempts(2, 1)(state)).toBeNull();
  expect(maxAttempts(1, 1)(state)).toBe('max-attempts');
});
