/** Intervals for shares, means and paired differences, at 95 %. */

/** A number with the interval that holds the true one at 95 %. */
export type Estimate = {
  readonly value: number;
  readonly low: number;
  readonly high: number;
};

/** Of the normal distribution, both sides, 95 %. */
const Z = 1.959963984540054;
const RESAMPLES = 2000;
const LOW = 0.025;

/** Wilson's score interval of `count` in `total`; null for a total of 0. */
export function wilson(count: number, total: number): Estimate | null {
  if (total === 0) {
    return null;
  }
  const share = count / total;
  const scale = 1 + (Z * Z) / total;
  const middle = (share + (Z * Z) / (2 * total)) / scale;
  const half =
    (Z / scale) *
    Math.sqrt((share * (1 - share)) / total + (Z * Z) / (4 * total * total));
  return {
    value: share,
    low: count === 0 ? 0 : Math.max(0, middle - half),
    high: count === total ? 1 : Math.min(1, middle + half)
  };
}

/** The mean, with the percentile bootstrap; null without values. The same values give the same interval. */
export function bootstrapMean(values: readonly number[]): Estimate | null {
  if (values.length === 0) {
    return null;
  }
  const random = generator(values.length);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) {
      sum += values[Math.floor(random() * values.length)] ?? 0;
    }
    return sum / values.length;
  }).sort((a, b) => a - b);
  return {
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    low: means[Math.floor(LOW * RESAMPLES)] ?? NaN,
    high: means[Math.ceil((1 - LOW) * RESAMPLES) - 1] ?? NaN
  };
}

/**
 * The share of true in `b` less that in `a`, over the same tasks: Newcombe's hybrid score
 * interval (his method 10), which also holds where few tasks differ. Null without tasks.
 */
export function pairedShares(
  a: readonly boolean[],
  b: readonly boolean[]
): Estimate | null {
  const total = a.length;
  const count = (first: boolean, second: boolean) =>
    a.filter((one, i) => one === first && b[i] === second).length;
  const both = count(true, true);
  const onlyA = count(true, false);
  const onlyB = count(false, true);
  const none = count(false, false);
  const ofA = wilson(both + onlyA, total);
  const ofB = wilson(both + onlyB, total);
  if (!ofA || !ofB) {
    return null;
  }
  const product =
    (both + onlyA) * (onlyB + none) * (both + onlyB) * (onlyA + none);
  const cross = both * none - onlyA * onlyB;
  // Newcombe's correction where the shares agree more often than by chance.
  const excess = cross > 0 ? Math.max(cross - total / 2, 0) : cross;
  const phi = product === 0 ? 0 : excess / Math.sqrt(product);
  const bound = (below: number, above: number) =>
    Math.sqrt(Math.max(0, below ** 2 - 2 * phi * below * above + above ** 2));
  const value = (onlyB - onlyA) / total;
  return {
    value,
    low: value - bound(ofB.value - ofB.low, ofA.high - ofA.value),
    high: value + bound(ofB.high - ofB.value, ofA.value - ofA.low)
  };
}

/** Mulberry32: a report does not change when it is made again. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
