import fc from 'fast-check';
import { replay } from './conformanceReplay';
import { OWN_RUNS } from './conformanceRuns';

/** How executionkit ends, in its own words: the target, then `patience` deltas in a row that are no more than the threshold. */
function published(
  scores: readonly number[],
  target: number,
  patience: number,
  iterations: number,
  threshold: number
) {
  let still = 0;
  for (let i = 0; i <= iterations; i++) {
    still =
      i > 0 && Math.abs(scores[i] - scores[i - 1]) <= threshold ? still + 1 : 0;
    if (scores[i] >= target || still >= patience) {
      return { history: scores.slice(0, i + 1), converged: true };
    }
  }
  return { history: scores.slice(0, iterations + 1), converged: false };
}

it('any scores above 0 give what the published rules give', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 100 }), {
        minLength: 8,
        maxLength: 8
      }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 7 }),
      async (percent, target, patience, iterations) => {
        const scores = percent.map(value => value / 100);
        const theirs = published(
          scores,
          target / 100,
          patience,
          iterations,
          0.01
        );
        const { ours } = await replay({
          ...OWN_RUNS[0],
          checkpoints: [],
          scores,
          args: {
            target_score: target / 100,
            patience,
            max_iterations: iterations
          }
        });
        const best = Math.max(...theirs.history);
        expect(ours).toEqual({
          best: `v${theirs.history.indexOf(best)}`,
          score: best,
          history: theirs.history,
          calls: theirs.history.length,
          converged: theirs.converged
        });
      }
    ),
    { numRuns: 200 }
  );
});
