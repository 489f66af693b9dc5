import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ceiling, half, pattern, statesOf, tally } from '../replay/rules.mjs';

/** A capital passes the shown check; a `*` solves the task as well. */
const recording = text =>
  text.split(' ').map(code => ({
    code,
    form: code,
    passes: /^[A-Z]/.test(code),
    solves: code.endsWith('*'),
    execution: null
  }));

/** Goes in circles from the second repeat in a row on. */
const product = {
  circles: ({ attempts, restarts }) => {
    const since = attempts.slice((restarts.at(-1) ?? 1) - 1);
    const last = since.findLastIndex(({ repeatOf }) => repeatOf === null);
    return since.length - 1 - last >= 2 ? 2 : 0;
  }
};

test('a pattern has a letter for each program, and marks the repair', () => {
  assert.equal(pattern(recording('a b a')), 'ABA');
  assert.equal(pattern(recording('a a X*')), 'AAB!');
  assert.equal(pattern(recording('a X')), 'AB');
});

test('a half is the same for a task each time, and both occur', () => {
  const tasks = Array.from({ length: 40 }, (_, i) => `MBPP/${i}`);
  const halves = tasks.map(half);
  assert.deepEqual(halves, tasks.map(half));
  assert.deepEqual([...new Set(halves)].sort(), [0, 1]);
});

test('states have repeats and the fresh starts before each answer', () => {
  const states = statesOf(recording('a a a b a'), product);
  assert.deepEqual(
    states.at(-1).attempts.map(({ repeatOf }) => repeatOf),
    [null, 1, 1, null, 1]
  );
  assert.deepEqual(
    states.map(({ restarts }) => restarts),
    [[], [], [], [4], [4]]
  );
});

test('a tally counts stopped calls and lost repairs within the cap', () => {
  const one = text => {
    const answers = recording(text);
    return {
      task: 'x',
      recording: answers,
      states: statesOf(answers, product)
    };
  };
  const third = ({ attempts }) => attempts.length === 3;
  const sum = (judged, cap) => {
    const [a, b] = tally(judged, third, cap);
    return [a.stopped + b.stopped, a.lost + b.lost];
  };
  assert.deepEqual(sum([one('a b c d E*')], 5), [2, 1]);
  assert.deepEqual(sum([one('a b c d E*')], 4), [1, 0]);
  assert.deepEqual(sum([one('a b c d E')], 5), [2, 0]);
  assert.deepEqual(sum([one('a b C*'), one('a')], 5), [0, 0]);
});

test('a ceiling ends where no session with the same start was repaired', () => {
  const judged = (...texts) =>
    texts.map(text => {
      const answers = recording(text);
      return {
        task: text,
        recording: answers,
        states: statesOf(answers, product)
      };
    });
  const one = (models, cap = 10) => ceiling(models, cap);
  // A B B B can end after A B B: nothing that starts so was repaired.
  assert.deepEqual(one({ m: judged('a b b b b') }), { m: 2 });
  assert.deepEqual(one({ m: judged('a b b b b') }, 4), { m: 1 });
  // A repair after A B B, of another model too, forbids to end there.
  assert.deepEqual(one({ m: judged('a b b b b'), n: judged('a b b c D*') }), {
    m: 1,
    n: 0
  });
  // A pass that solves nothing is no repair.
  assert.deepEqual(one({ m: judged('a b b C') }), { m: 1 });
  // Programs in turn go on to a fifth answer.
  assert.deepEqual(one({ m: judged('a a a a a a', 'a b a b a b') }), { m: 2 });
});

test('a ceiling that sees failures tells more starts apart', () => {
  const judged = (text, failures) => {
    const answers = recording(text).map((answer, i) => ({
      ...answer,
      execution: failures[i]
    }));
    return {
      task: text,
      recording: answers,
      states: statesOf(answers, product)
    };
  };
  const models = {
    m: [judged('a b b b b', '11111'), judged('a b b c D*', '12222')]
  };
  assert.deepEqual(ceiling(models, 10), { m: 1 });
  assert.deepEqual(
    ceiling(models, 10, ({ execution }) => execution),
    { m: 2 }
  );
});
