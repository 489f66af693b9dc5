/**
 * When a session ends early, over recordings: the product's own rule beside
 * others. A recording is what {@link file://./count.mjs} counts, each answer with
 * its `code` and the `execution` against the shown check.
 */
import { createHash } from 'node:crypto';

/** The half of the tasks that a rule is chosen on (0) or verified on (1). */
export function half(task) {
  return createHash('sha256').update(task).digest()[31] % 2;
}

/** One letter a program, `!` behind the answer that solves the task: `ABCC!`. */
export function pattern(recording) {
  const letters = lettersOf(recording.map(({ form }) => form));
  return recording
    .map(
      ({ passes, solves }, i) => `${letters[i]}${passes && solves ? '!' : ''}`
    )
    .join('');
}

/** The same letter for the same item: `['x', 'y', 'x']` gives `ABA`. */
function lettersOf(items) {
  const first = [...new Set(items)];
  return items
    .map(item => String.fromCharCode(65 + first.indexOf(item)))
    .join('');
}

/** The session's state after each answer, with the fresh starts that the loop makes. */
export function statesOf(recording, product, restartAfter = 2) {
  const attempts = [];
  const restarts = [];
  const states = [];
  for (const [i, { code, form, execution }] of recording.entries()) {
    const state = { ...states.at(-1), restarts: [...restarts] };
    if (i > 0 && product.circles(state, restartAfter) > 0) {
      restarts.push(i + 1);
    }
    const first = recording.findIndex(other => other.form === form);
    attempts.push({
      attempt: i + 1,
      phase: 'ended',
      code,
      repeatOf: first < i ? first + 1 : null,
      execution,
      failure: null,
      verdict: null
    });
    states.push({
      request: { language: 'python' },
      hints: [],
      attempts: [...attempts],
      restarts: [...restarts]
    });
  }
  return states;
}

/** Rules by name: true where the session ends after this state. */
export function rulesOf(product, restartAfter = 2) {
  const repeats = ({ attempts }) =>
    attempts.filter(({ repeatOf }) => repeatOf !== null).length;
  const alike = ({ attempts }) => product.alikeAtEnd(attempts);
  const started = ({ restarts }) => restarts.length > 0;
  const inTurns = ({ attempts }) =>
    attempts.every(
      (attempt, i) => i < 2 || program(attempt) === program(attempts[i - 2])
    );
  const refine = state =>
    product.wastedCalls(state, 1, false, restartAfter) !== null;
  // As it was: nothing more for programs that take turns.
  const former = state =>
    refine(state) ||
    (started(state) &&
      inTurns(state) &&
      repeats(state) * 2 >= state.attempts.length &&
      (product.circles(state, restartAfter) > 0 ||
        (state.restarts.at(-1) === state.attempts.length &&
          state.attempts.at(-1).repeatOf !== null)));
  const atLeast = (count, state) => state.attempts.length >= count;
  return {
    refine,
    'refine, without a fifth answer to programs in turn': former,
    'five alike, or three repeats, from the fifth answer on': state =>
      started(state) &&
      atLeast(5, state) &&
      (alike(state) >= 5 || repeatsAtEnd(state) >= 3),
    'refine, or five alike': state =>
      refine(state) || (started(state) && alike(state) >= 5),
    'refine, or four alike': state =>
      refine(state) ||
      (started(state) && atLeast(5, state) && alike(state) >= 4),
    'refine, or three alike': state =>
      refine(state) ||
      (started(state) && atLeast(5, state) && alike(state) >= 3),
    'two in five are repeats, without a fresh start': state =>
      (atLeast(5, state) || (atLeast(4, state) && !inTurns(state))) &&
      repeats(state) >= 0.4 * state.attempts.length,
    'two new programs in a row fail alike': state =>
      refine(state) || twoNewAlike(state, product),
    'after the fifth answer, whatever it is': state => atLeast(5, state)
  };
}

function program({ attempt, repeatOf }) {
  return repeatOf ?? attempt;
}

function repeatsAtEnd({ attempts }) {
  const last = attempts.findLastIndex(({ repeatOf }) => repeatOf === null);
  return attempts.length - 1 - last;
}

function twoNewAlike({ attempts }, product) {
  const [a, b] = attempts.slice(-2);
  return (
    attempts.length >= 3 &&
    a.repeatOf === null &&
    b.repeatOf === null &&
    product.failureSignature(a) === product.failureSignature(b)
  );
}

/**
 * What a rule does over recordings: calls that the plain cap makes and it does
 * not, and repairs that it loses, for each half of the tasks.
 *
 * @param judged - `{task, recording, states}` each.
 */
export function tally(judged, rule, cap) {
  const sum = [
    { stopped: 0, lost: 0 },
    { stopped: 0, lost: 0 }
  ];
  for (const { task, recording, states } of judged) {
    const pass = recording.findIndex(({ passes }) => passes);
    const calls = Math.min(cap, pass < 0 ? recording.length : pass + 1);
    const end = states.slice(0, calls - 1).findIndex(rule);
    if (end >= 0) {
      const row = sum[half(task)];
      const last = recording[calls - 1];
      row.stopped += calls - (end + 1);
      row.lost += Number(last.passes && last.solves);
    }
  }
  return sum;
}

/** Patterns after which stronger models were repaired: no rule may end there, nor before. */
const SPARED = ['AAAA', 'ABAB'];

/**
 * The most that any rule can save without a lost repair, chosen in hindsight: it ends
 * wherever no session of these went on to a repair after the same start. What it sees
 * of a start is which answers repeat a program, and with `signature` which failures repeat.
 *
 * @param models - `{name: judged[]}`; the rule is one for all of them.
 * @param signature - the product's `failureSignature`; null: failures are not seen.
 * @returns {Record<string, number>} calls saved, by model.
 */
export function ceiling(models, cap, signature = null) {
  const startOf = ({ recording, states }, count) => {
    const programs = lettersOf(
      recording.slice(0, count).map(({ form }) => form)
    );
    const failures = signature
      ? lettersOf(states[count - 1].attempts.map(signature))
      : '';
    return `${programs} ${failures}`;
  };
  const calls = ({ recording }) => {
    const pass = recording.findIndex(({ passes }) => passes);
    return pass < 0 ? recording.length : pass + 1;
  };
  const starts = (judged, count) =>
    Array.from({ length: Math.max(0, count - 1) }, (_, i) => ({
      count: i + 1,
      start: startOf(judged, i + 1)
    }));
  const repaired = new Set();
  for (const judged of Object.values(models).flat()) {
    const count = calls(judged);
    const last = judged.recording[count - 1];
    if (last.passes && last.solves) {
      starts(judged, count).forEach(({ start }) => repaired.add(start));
    }
  }
  const isSpared = start =>
    SPARED.some(spared => spared.startsWith(start.split(' ')[0]));
  return Object.fromEntries(
    Object.entries(models).map(([name, all]) => [
      name,
      all.reduce((saved, judged) => {
        const count = Math.min(cap, calls(judged));
        const end = starts(judged, count).find(
          ({ start }) => !repaired.has(start) && !isSpared(start)
        );
        return saved + (end ? count - end.count : 0);
      }, 0)
    ])
  );
}
