/**
 * What is counted in a replay. A recording is the answers of one model to one
 * task, in order: `{passes, solves, form}` each: whether the shown check holds,
 * whether MBPP's own checks hold, and the program without what does not matter.
 */

/** The recording up to the cap: until an answer passes the shown check, or the cap is reached. */
export function plainCap(recording, cap) {
  return ended(recording, Math.min(untilPass(recording), cap));
}

/** The same, and no call after an answer that is an earlier program again. */
export function firstRepeat(recording, cap) {
  const seen = new Set();
  const repeat = recording.findIndex(({ form }) => {
    const again = seen.has(form);
    seen.add(form);
    return again;
  });
  const calls = Math.min(untilPass(recording), cap);
  return ended(recording, repeat < 0 ? calls : Math.min(calls, repeat + 1));
}

/** A session over the recording: as many calls as it made; `restarts` are the numbers of its fresh starts. */
export function session(recording, calls, restarts) {
  const first = Math.min(...restarts, calls + 1);
  return { ...ended(recording, calls), redirected: calls - first + 1 };
}

/**
 * One rule beside the plain cap, on one task.
 *
 * - `stopped`: calls that the plain cap made and the rule did not.
 * - `redirected`: calls made after a fresh start. What was recorded is no answer
 *   to them: the model would have been asked something else.
 * - `lost`: a repair that the recording has within the cap and the rule did not get.
 * - `redirectedRepair`: a repair that the recording has, as the answer to a
 *   redirected call: whether it would have come is unknown.
 */
export function compare(run, recording, cap) {
  const plain = plainCap(recording, cap);
  const { redirected = 0 } = run;
  return {
    calls: run.calls,
    stopped: plain.calls - run.calls,
    redirected,
    solved: Number(run.solved),
    lost: Number(plain.solved && !run.solved),
    redirectedRepair: Number(run.solved && redirected > 0)
  };
}

/** The sum of all tasks, field by field. */
export function total(rows) {
  const sum = {};
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      sum[name] = (sum[name] ?? 0) + value;
    }
  }
  return sum;
}

/** Solved is what passed the shown check and holds MBPP's own. */
function ended(recording, calls) {
  const last = recording[calls - 1];
  return { calls, solved: last.passes && last.solves };
}

function untilPass(recording) {
  const first = recording.findIndex(({ passes }) => passes);
  return first < 0 ? recording.length : first + 1;
}
