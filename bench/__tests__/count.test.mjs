import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondPrompts, summary } from '../feedback/count.mjs';
import {
  compare,
  firstRepeat,
  plainCap,
  session,
  total
} from '../replay/count.mjs';

/** A capital passes the shown check; a `*` solves the task as well. */
const recording = text =>
  text.split(' ').map(form => ({
    form,
    passes: /^[A-Z]/.test(form),
    solves: form.endsWith('*')
  }));

test('the plain cap ends at the first pass, or at the cap', () => {
  assert.deepEqual(plainCap(recording('a b C* d'), 5), {
    calls: 3,
    solved: true
  });
  assert.deepEqual(plainCap(recording('a b C*'), 2), {
    calls: 2,
    solved: false
  });
  assert.deepEqual(plainCap(recording('a B'), 5), { calls: 2, solved: false });
});

test('what solves the task and fails the shown check is no repair', () => {
  assert.equal(plainCap(recording('a*'), 5).solved, false);
});

test('the first repeat ends with the repeat itself, not before it', () => {
  const found = recording('a b a C*');
  assert.deepEqual(firstRepeat(found, 5), { calls: 3, solved: false });
  assert.equal(compare(firstRepeat(found, 5), found, 5).lost, 1);
  assert.deepEqual(firstRepeat(recording('a b C*'), 5).calls, 3);
  assert.deepEqual(firstRepeat(recording('a b a C*'), 2).calls, 2);
});

test('a stopped repeat costs only where a later answer solves it', () => {
  const never = recording('a a a a');
  assert.deepEqual(compare(session(never, 2, []), never, 4), {
    calls: 2,
    stopped: 2,
    redirected: 0,
    solved: 0,
    lost: 0,
    redirectedRepair: 0
  });
  const later = recording('a a a B*');
  assert.equal(compare(session(later, 2, []), later, 4).lost, 1);
  assert.equal(compare(session(later, 2, []), later, 3).lost, 0);
  const passes = recording('a a a B');
  assert.equal(compare(session(passes, 2, []), passes, 4).lost, 0);
});

test('redirected are the calls from the first fresh start on', () => {
  const found = recording('a a a b C*');
  assert.equal(session(found, 5, [4]).redirected, 2);
  assert.equal(session(found, 5, [3, 5]).redirected, 3);
  assert.equal(session(found, 5, []).redirected, 0);
  assert.equal(compare(session(found, 5, [4]), found, 5).redirectedRepair, 1);
  assert.equal(compare(session(found, 5, []), found, 5).redirectedRepair, 0);
  assert.equal(compare(session(found, 4, [4]), found, 5).redirectedRepair, 0);
});

test('rows are added field by field', () => {
  assert.deepEqual(total([{ a: 1 }, { a: 2, b: 3 }]), { a: 3, b: 3 });
});

test('an unsolved task counts with every attempt it was allowed', () => {
  const runs = [
    { bugs: 1, solved: true, attempts: 2, prompts: [10, 30] },
    { bugs: 2, solved: false, attempts: 3, prompts: [10, 50, 70] }
  ];
  assert.deepEqual(summary(runs, 5), {
    solved: 0.5,
    attempts: 3.5,
    overIdeal: 7 / 5,
    promptTokens: 50,
    tokensPerTask: 85
  });
});

test('second prompts are compared task by task', () => {
  const a = [
    { task: 1, prompts: [9, 30] },
    { task: 2, prompts: [9] }
  ];
  const b = [
    { task: 2, prompts: [9, 1000] },
    { task: 1, prompts: [9, 20] }
  ];
  assert.equal(secondPrompts(a, b), 1.5);
});
