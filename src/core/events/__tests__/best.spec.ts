import fc from 'fast-check';
import { compareVerdicts, isBetter } from '../best';
import type { Verdict } from '../../domain/verdict';

function verdict(parts: Partial<Verdict> = {}): Verdict {
  return {
    evaluator: 'assertions',
    evaluation: 'needs-improvement',
    score: 0.5,
    reasons: [],
    ...parts
  };
}

const rmse = (value: number) => ({ name: 'RMSE', value, goal: 'min' as const });

it.each([
  [
    'a pass, whatever the score',
    { evaluation: 'pass', score: 0.2 },
    { score: 0.9 }
  ],
  ['a higher score', { score: 0.6 }, { score: 0.5 }],
  ['any score', { score: 0 }, { score: null }],
  [
    'a finished run of the same score',
    { score: 0 },
    { score: 0, evaluation: 'fail' }
  ],
  ['a lower metric to minimise', { metric: rmse(1) }, { metric: rmse(2) }],
  [
    'a higher metric to maximise',
    { metric: { ...rmse(2), goal: 'max' } },
    { metric: { ...rmse(1), goal: 'max' } }
  ],
  [
    'one evaluator that holds',
    { evaluation: 'pass', score: 0.1 },
    { score: 0.9, parts: [verdict()] }
  ],
  ['a metric', { metric: rmse(9), score: 0 }, { score: 1 }],
  [
    'more evaluators that hold',
    { score: 0.1, parts: [verdict({ evaluation: 'pass' }), verdict()] },
    { score: 0.9, parts: [verdict(), verdict()] }
  ]
] as const)('%s is better', (_, better, worse) => {
  expect(compareVerdicts(verdict(better), verdict(worse))).toBeGreaterThan(0);
  expect(compareVerdicts(verdict(worse), verdict(better))).toBeLessThan(0);
});

it('does not replace the best by one that is as good', () => {
  expect(isBetter(verdict(), verdict())).toBe(false);
  expect(isBetter(verdict(), null)).toBe(true);
});

it('is an order', () => {
  const any = fc
    .record({
      evaluation: fc.constantFrom(
        'pass',
        'needs-improvement',
        'fail',
        'unknown'
      ),
      score: fc.option(fc.constantFrom(0, 0.5, 1), { nil: null }),
      metric: fc.option(fc.constantFrom(1, 2).map(rmse), { nil: undefined })
    })
    .map(parts => verdict(parts as Partial<Verdict>));
  const sign = (a: Verdict, b: Verdict) => Math.sign(compareVerdicts(a, b));
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      expect(sign(a, b) + sign(b, a)).toBe(0);
      if (sign(a, b) >= 0 && sign(b, c) >= 0) {
        expect(sign(a, c)).toBeGreaterThanOrEqual(0);
      }
    })
  );
});
