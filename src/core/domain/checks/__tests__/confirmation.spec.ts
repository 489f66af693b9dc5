/** Which checks of a pass a separate process confirmed. */
import { fakeAssertion, fakeExecution } from '../../../../testing/fakeExecutor';
import {
  confirmation,
  confirmedCounts,
  NO_SEPARATE_PROCESS,
  passConfirmation
} from '../confirmation';
import type { Execution } from '../../execution';
import { sealHoldouts } from '../../visible';
import { attemptOf, verdictOf } from '../../../__tests__/states';

const confirmed = fakeAssertion({ confirmed: true });
const unconfirmed = fakeAssertion({
  line: 2,
  source: 'assert math.isclose(sq(3), 9)',
  confirmed: false,
  unconfirmed: 'in the separate process, `math.isclose(sq(3), 9)` is False'
});
const unjudged = fakeAssertion({ line: 3, confirmed: undefined });
const scored = { value: 3, goal: 'min' as const, name: 'rmse' };

it('counts the checks that held, with reasons for the others', () => {
  expect(
    confirmation(
      fakeExecution({
        assertions: [
          confirmed,
          unconfirmed,
          unjudged,
          fakeAssertion({ line: 4, outcome: 'failed' })
        ]
      })
    )
  ).toEqual({
    n: 1,
    of: 3,
    reasons: [
      {
        id: 'check:2',
        role: 'assertion',
        line: 2,
        source: 'assert math.isclose(sq(3), 9)',
        reason: 'in the separate process, `math.isclose(sq(3), 9)` is False'
      },
      expect.objectContaining({ id: 'check:3', reason: NO_SEPARATE_PROCESS })
    ]
  });
});

it('counts each hold-out, and a scorer that gave a value', () => {
  const holdouts = [
    fakeAssertion({ cellId: 'h', role: 'holdout', confirmed: true }),
    fakeAssertion({ cellId: 'h', line: 2, role: 'holdout', confirmed: true })
  ];
  expect(
    confirmation({
      assertions: [confirmed, ...holdouts],
      scored: {
        ...scored,
        confirmed: false,
        unconfirmed: 'it uses tracemalloc'
      }
    })
  ).toMatchObject({
    n: 3,
    of: 4,
    reasons: [{ id: 'scorer', role: 'scorer', reason: 'it uses tracemalloc' }]
  });
  expect(
    confirmation({
      assertions: [confirmed],
      scored: { ...scored, value: null }
    })
  ).toMatchObject({ n: 1, of: 1 });
});

it.each<[string, Partial<Execution>]>([
  ['a failing check', { assertions: [fakeAssertion({ outcome: 'failed' })] }],
  ['no check', { assertions: [] }],
  ['an error', { status: 'error', assertions: [confirmed] }],
  ['tampering', { tampering: ['x'], assertions: [confirmed] }]
])('is none of a pass with %s', (_, parts) => {
  expect(passConfirmation(fakeExecution(parts))).toBeNull();
});

it('has no counts without a pass', () => {
  const execution = fakeExecution({ assertions: [confirmed, unconfirmed] });
  const pass = verdictOf({ evaluation: 'pass' });
  expect(confirmedCounts(attemptOf(1, { execution, verdict: pass }))).toEqual({
    n: 1,
    of: 2
  });
  expect(confirmedCounts(attemptOf(1, { execution }))).toBeUndefined();
  expect(confirmedCounts(null)).toBeUndefined();
});

describe('of hold-outs in an executor’s result', () => {
  const holdouts = [
    {
      cellId: 'h',
      index: 1,
      role: 'holdout' as const,
      source: '',
      statements: 2
    }
  ];
  const sealed = (...states: readonly (boolean | undefined)[]) =>
    sealHoldouts(
      { holdouts },
      fakeExecution({
        assertions: states.map((state, i) =>
          fakeAssertion({
            cellId: 'h',
            role: 'holdout',
            line: i + 1,
            confirmed: state,
            ...(state === false ? { unconfirmed: 'canary' } : {})
          })
        )
      })
    ).assertions.map(({ confirmed: state, unconfirmed: reason }) => [
      state,
      reason
    ]);

  it('is the same for all, in the same words', () => {
    const words = 'the reason is hidden because it could reveal the hold-out';
    expect(sealed(true, true)).toEqual([
      [true, undefined],
      [true, undefined]
    ]);
    expect(sealed(true, false)).toEqual([
      [false, words],
      [false, words]
    ]);
    expect(sealed(true, undefined)).toEqual([
      [undefined, undefined],
      [undefined, undefined]
    ]);
  });
});
