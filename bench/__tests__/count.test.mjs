import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondPrompts, summary } from '../feedback/count.mjs';

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
