/** @jest-environment node */
import { bootstrapMean, pairedShares, wilson } from '../statistics';

const rounded = (estimate: ReturnType<typeof wilson>) =>
  estimate &&
  [estimate.value, estimate.low, estimate.high].map(x => Number(x.toFixed(4)));

it('gives Wilson’s interval of a share', () => {
  // Newcombe 1998, table I.
  expect(rounded(wilson(81, 263))).toEqual([0.308, 0.2553, 0.3662]);
  expect(rounded(wilson(0, 20))).toEqual([0, 0, 0.1611]);
  expect(rounded(wilson(20, 20))).toEqual([1, 0.8389, 1]);
  expect(wilson(0, 0)).toBeNull();
});

it('gives Newcombe’s interval of a paired difference', () => {
  // Newcombe 1998 (paired), table II, method 10: cells 36, 12, 2, 0.
  const pairs = (both: number, first: number, second: number, none: number) =>
    [
      ...Array.from({ length: both }, () => [true, true]),
      ...Array.from({ length: first }, () => [true, false]),
      ...Array.from({ length: second }, () => [false, true]),
      ...Array.from({ length: none }, () => [false, false])
    ] as [boolean, boolean][];
  const found = (...counts: [number, number, number, number]) => {
    const all = pairs(...counts);
    return rounded(
      pairedShares(
        all.map(([, b]) => b),
        all.map(([a]) => a)
      )
    );
  };
  expect(found(36, 12, 2, 0)).toEqual([0.2, 0.0569, 0.3404]);
  expect(found(54, 0, 0, 0)?.[0]).toBe(0);
  expect(pairedShares([], [])).toBeNull();
});

it('gives the same bootstrap interval for the same values', () => {
  const values = Array.from({ length: 200 }, (_, at) => 1 + (at % 5));
  const estimate = bootstrapMean(values);
  expect(estimate).toEqual(bootstrapMean(values));
  expect(estimate?.value).toBe(3);
  // The normal interval of this mean is 3 ± 0.196.
  expect(estimate?.low).toBeCloseTo(2.804, 1);
  expect(estimate?.high).toBeCloseTo(3.196, 1);
  expect(bootstrapMean([])).toBeNull();
  expect(bootstrapMean([2])).toEqual({ value: 2, low: 2, high: 2 });
});
