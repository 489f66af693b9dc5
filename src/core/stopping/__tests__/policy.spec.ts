import { fakeExecution } from '../../../testing/fakeExecutor';
import {
  anyOf,
  attemptsStarted,
  maxAttempts,
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

  it('begins anew with this run, and with each movement', () => {
    const state = scores([0.5, 0.5, 0.5, 0.9, 0.9]);
    expect(whenPlateau(1, 0)(state)).toBe('patience');
    expect(whenPlateau(2, 0)(state)).toBeNull();
    expect(whenPlateau(1, 4)(state)).toBeNull();
  });

  it('passes over what has no score', () => {
    const state = scores([0.5, null, 0.5]);
    expect(whenPlateau(1, 0)(state)).toBe('patience');
    expect(whenPlateau(2, 0)(state)).toBeNull();
    expect(whenPlateau(1, 0)(scores([null, null, null]))).toBeNull();
  });

  it('looks at the metric, where there is one', () => {
    const state = scores([0.5, 0.5, 0.5], i => ({
      verdict: verdictOf({
        score: 0.5,
        metric: { name: 'ms', value: i * 10, goal: 'min' }
      })
    }));
    expect(whenPlateau(1, 0)(state)).toBeNull();
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
