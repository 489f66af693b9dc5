/** What is counted of the scripted programmer's sessions. */

/**
 * One strategy over all tasks. An unsolved task counts with all the attempts it
 * was allowed, however early the loop gave it up.
 *
 * @param {{bugs: number, solved: boolean, attempts: number, prompts: number[]}[]} runs
 * `prompts`: tokens of each prompt, the first first.
 */
export function summary(runs, maxAttempts) {
  const sum = of => runs.reduce((total, run) => total + of(run), 0);
  const attempts = run => (run.solved ? run.attempts : maxAttempts);
  const later = runs.flatMap(run => run.prompts.slice(1));
  return {
    solved: sum(run => Number(run.solved)) / runs.length,
    attempts: sum(attempts) / runs.length,
    overIdeal: sum(attempts) / sum(run => run.bugs + 1),
    promptTokens: later.reduce((a, b) => a + b, 0) / Math.max(1, later.length),
    tokensPerTask:
      sum(run => run.prompts.reduce((a, b) => a + b, 0)) / runs.length
  };
}

/**
 * How much longer the second prompts of `a` are than those of `b`: of the same
 * task with the same first program, and so for the same failure.
 */
export function secondPrompts(a, b) {
  const other = new Map(b.map(run => [run.task, run.prompts[1]]));
  const pairs = a
    .map(run => [run.prompts[1], other.get(run.task)])
    .filter(pair => pair.every(tokens => tokens !== undefined));
  const total = side => pairs.reduce((sum, pair) => sum + pair[side], 0);
  return total(0) / total(1);
}
