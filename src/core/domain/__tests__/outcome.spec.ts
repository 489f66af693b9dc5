import { outcomeOf } from '../../attempt/finish';
import { keepable, type Outcome } from '../outcome';
import { initialState } from '../../events/fold';
import { SessionStop } from '../../session/session';
import type { AttemptState, SessionState } from '../../events/state';
import { makeRequest } from '../../__tests__/requests';
import { attemptOf, stateOf, verdictOf } from '../../__tests__/states';

const times = { modelMs: 3, kernelMs: 4 };
const outcome = (
  state: SessionState,
  stop: SessionStop = new SessionStop('max-attempts')
) => outcomeOf(state, stop, times);

const pass = verdictOf({
  evaluator: 'assertions',
  evaluation: 'pass',
  score: 1,
  total: 2,
  passed: 2
});

/** Attempts with these verdicts, the last of which is the best. */
function ended(
  verdicts: readonly AttemptState['verdict'][],
  options: Parameters<typeof makeRequest>[0] = {}
): SessionState {
  return stateOf(
    verdicts.map((verdict, i) => attemptOf(i + 1, { verdict })),
    { request: makeRequest(options), best: verdicts.length }
  );
}

it('a session without an attempt has no best and has not passed', () => {
  expect(outcome(initialState('s'), new SessionStop('timeout'))).toMatchObject({
    passed: false,
    converged: false,
    checkedBy: 'none',
    stopReason: 'timeout',
    best: null,
    attempts: 0,
    modelMs: 3,
    kernelMs: 4
  });
});

it('an error is reported with the stop that had one', () => {
  const error = { code: 'c', message: 'm' };
  const state = ended([pass]);
  expect(outcome(state, new SessionStop('model-error', error)).error).toBe(
    error
  );
  expect(outcome(state)).not.toHaveProperty('error');
});

it('the best of several decides, whichever it is', () => {
  const state = {
    ...ended([pass, verdictOf({ score: 0.3 })]),
    best: 1
  };
  expect(outcome(state)).toMatchObject({
    passed: true,
    converged: true,
    best: { attempt: 1, passed: 2, total: 2, evaluation: 'pass' }
  });
  expect(outcome({ ...state, best: 2 })).toMatchObject({
    passed: false,
    best: { attempt: 2, passed: 0, total: 0, score: 0.3 }
  });
});

it('an attempt without a verdict can be the best there is', () => {
  expect(outcome(ended([null])).best).toEqual({
    attempt: 1,
    candidate: 'x = 1',
    thoughts: '',
    evaluation: 'unknown',
    score: null,
    passed: 0,
    total: 0
  });
});

describe('checked by', () => {
  const by = (...parts: Parameters<typeof verdictOf>[0][]) =>
    outcome(ended([verdictOf({ parts: parts.map(verdictOf) })])).checkedBy;

  it('the strongest that spoke', () => {
    const judge = { evaluator: 'judge' };
    const scorer = { evaluator: 'scorer' };
    expect(by({ evaluator: 'human' })).toBe('human');
    expect(by(judge, { evaluator: 'human' })).toBe('judge');
    expect(by(judge, scorer)).toBe('scorer');
    expect(by(scorer, { evaluator: 'assertions', total: 2 })).toBe(
      'assertions'
    );
  });

  it('nobody who had nothing to say', () => {
    expect(by({ evaluator: 'judge', evaluation: 'unknown' })).toBe('none');
    expect(by({ evaluator: 'assertions', total: 0 })).toBe('none');
    expect(by({ evaluator: 'static' })).toBe('none');
    expect(by()).toBe('none');
  });

  it('one evaluator alone', () => {
    expect(outcome(ended([pass])).checkedBy).toBe('assertions');
    expect(outcome(ended([null])).checkedBy).toBe('none');
  });
});

describe('converged', () => {
  const scores = (
    values: readonly number[],
    options: object,
    best = values.length
  ) => ({
    ...ended(
      values.map(score => verdictOf({ score })),
      { options }
    ),
    best
  });

  it('at the target, whatever ended the session', () => {
    expect(outcome(scores([0.5, 0.9], { targetScore: 0.9 })).converged).toBe(
      true
    );
    expect(outcome(scores([0.5, 0.8], { targetScore: 0.9 })).converged).toBe(
      false
    );
  });

  it('standing still above 0, where patience is set', () => {
    expect(outcome(scores([0.5, 0.5], { patience: 1 })).converged).toBe(true);
    expect(outcome(scores([0.5, 0.5], { patience: 2 })).converged).toBe(false);
    expect(outcome(scores([0.5, 0.5], { patience: null })).converged).toBe(
      false
    );
    expect(outcome(scores([0, 0], { patience: 1 })).converged).toBe(false);
    // The best is above 0, though the plateau is another one's.
    expect(outcome(scores([0.5, 0, 0], { patience: 1 }, 1)).converged).toBe(
      true
    );
  });

  it('not without a verdict, nor without an attempt', () => {
    const none = ended([null, null], { options: { patience: 1 } });
    expect(outcome(none).converged).toBe(false);
    expect(outcome({ ...none, best: null }).converged).toBe(false);
  });

  it('standing still at a metric, also one of 0', () => {
    const metric = { name: 'm', value: 0, goal: 'min' as const };
    const verdict = verdictOf({ metric });
    expect(
      outcome(ended([verdict, verdict], { options: { patience: 1 } })).converged
    ).toBe(true);
  });

  it('not by a pass that a better value is still wanted of', () => {
    const scorer = { cellId: 's', index: 3, source: 'def score(ns): …' };
    expect(outcome(ended([pass])).converged).toBe(true);
    expect(outcome(ended([pass], { scorer })).converged).toBe(false);
    expect(
      outcome(ended([pass], { scorer, options: { targetScore: 1 } })).converged
    ).toBe(true);
  });
});

describe('what may be kept of a session without a pass', () => {
  const best = {
    attempt: 2,
    candidate: 'x',
    thoughts: '',
    evaluation: 'fail' as const,
    score: 0.5,
    passed: 1,
    total: 2
  };
  const kept = (parts: Partial<Outcome>) =>
    keepable({
      ...outcome(ended([null])),
      passed: false,
      stopReason: 'max-attempts',
      best,
      ...parts
    });

  it.each(['max-attempts', 'patience', 'budget', 'timeout'] as const)(
    'is its best, after %s',
    stopReason => expect(kept({ stopReason })).toBe(best)
  );

  it.each(['stopped', 'rejected', 'model-error', 'kernel-died'] as const)(
    'is nothing, after %s',
    stopReason => expect(kept({ stopReason })).toBeNull()
  );

  it('is no pass, no empty one and not what the cell held', () => {
    expect(kept({ passed: true })).toBeNull();
    expect(kept({ best: null })).toBeNull();
    expect(kept({ best: { ...best, candidate: '' } })).toBeNull();
    expect(kept({ best: { ...best, attempt: 0 } })).toBeNull();
  });
});
