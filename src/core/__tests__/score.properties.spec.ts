/** Scores and metrics against a plain reckoning of where a session ends and what it keeps. */
import fc from 'fast-check';
import { FakeExecutor } from '../../testing/fakeExecutor';
import { FakeModel } from '../../testing/fakeModel';
import type { IEvaluator } from '../domain/verdict';
import { makeRequest } from './requests';
import { answer, run } from './sessions';
import { verdictOf } from './states';

type Value = number | 'none' | 'pass' | 'throws' | 'not a number';

const VALUES: fc.Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 8 }).map(n => n / 8) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Value>('none', 'throws', 'not a number')
  },
  { weight: 1, arbitrary: fc.constant<Value>('pass') }
);

const play = fc.record({
  values: fc.array(VALUES, { minLength: 8, maxLength: 8 }),
  measure: fc.constantFrom('score' as const, 'min' as const, 'max' as const),
  maxAttempts: fc.integer({ min: 1, max: 8 }),
  targetScore: fc.option(
    fc.integer({ min: 0, max: 8 }).map(n => n / 8),
    {
      nil: null
    }
  ),
  patience: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null })
});

type Play = typeof play extends fc.Arbitrary<infer T> ? T : never;

/** Says the scores one after the other. */
function judgeOf({ values }: Play): IEvaluator {
  return {
    name: 'judge',
    required: true,
    evaluate: async ({ attempt }) => {
      const value = values[attempt - 1];
      if (value === 'throws') {
        throw new Error('bug');
      }
      return verdictOf({
        ...(value === 'pass' ? { evaluation: 'pass' as const } : {}),
        score: value === 'not a number' ? NaN : measured(value)
      });
    }
  };
}

/** Gives the values one after the other, as the kernel's scorer does. */
function scorerOf({ values }: Play, goal: 'min' | 'max'): FakeExecutor {
  return new FakeExecutor(({ candidate }) => {
    const call = /^v(\d+)/.exec(candidate)?.[1];
    // Tried without a candidate first.
    const value = call === undefined ? 'none' : values[Number(call)];
    return {
      scored: {
        name: 'm',
        goal,
        value: value === 'not a number' ? NaN : measured(value),
        ...(value === 'throws'
          ? { error: { name: 'E', message: 'm', traceback: 't' } }
          : {})
      }
    };
  });
}

/** The value of an attempt; null where it has none. */
function measured(value: Value): number | null {
  return typeof value === 'number' ? value : value === 'pass' ? 0.5 : null;
}

function reckon(p: Play) {
  const sign = p.measure === 'min' ? -1 : 1;
  // A pass first, then the better value; then one that was judged at all; the earlier of equals.
  const rank = (value: Value) => [
    value === 'pass' && p.measure === 'score' ? 1 : 0,
    measured(value) === null ? -Infinity : measured(value)! * sign,
    value === 'none' && p.measure === 'score' ? 1 : 0
  ];
  const better = (a: Value, b: Value) => {
    const [x, y] = [rank(a), rank(b)];
    const i = x.findIndex((part, at) => part !== y[at]);
    return i >= 0 && x[i] > y[i];
  };
  let best = 0;
  let still = 0;
  let last: number | null = null;
  for (let i = 0; i < p.maxAttempts; i++) {
    const value = p.values[i];
    if (better(value, p.values[best])) {
      best = i;
    }
    const now = measured(value);
    if (now !== null) {
      still = last !== null && now === last ? still + 1 : 0;
      last = now;
    }
    const top = measured(p.values[best]);
    const reached =
      p.targetScore !== null &&
      top !== null &&
      top * sign >= p.targetScore * sign;
    const reason = (p.measure === 'score' ? value === 'pass' : reached)
      ? 'passed'
      : reached
        ? 'target'
        : p.patience !== null && still >= p.patience
          ? 'patience'
          : null;
    if (reason) {
      return { attempts: i + 1, best: best + 1, reason };
    }
  }
  return { attempts: p.maxAttempts, best: best + 1, reason: 'max-attempts' };
}

it('a session ends by its rules and keeps the best value', async () => {
  await fc.assert(
    fc.asyncProperty(play, async p => {
      const { values, measure, ...options } = p;
      const { outcome } = await run(
        makeRequest({
          assertions: [],
          options,
          ...(measure === 'score'
            ? {}
            : { scorer: { cellId: 's', index: 3, source: 'def score(ns): …' } })
        }),
        {
          generator: new FakeModel([(_, call) => answer(`v${call} = 0`)]),
          ...(measure === 'score'
            ? { executor: new FakeExecutor([{}]), evaluators: [judgeOf(p)] }
            : { executor: scorerOf(p, measure) })
        }
      );
      const expected = reckon(p);
      expect({
        attempts: outcome.attempts,
        best: outcome.best?.attempt,
        reason: outcome.stopReason
      }).toEqual(expected);
      const kept = measured(values[expected.best - 1]);
      expect(
        measure === 'score'
          ? outcome.best!.score
          : (outcome.best!.metric?.value ?? null)
      ).toBe(kept);
    }),
    { numRuns: process.env['REFINE_FULL'] ? 300 : 100 }
  );
}, 60000);
