import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReported, programmer } from '../feedback/programmer.mjs';

const CHECKS = ['assert f(3, "a") == 12', 'assert f(4, "b") == 20'];
const CODE = 'def f(n, s):\n    return n + len(s)';

const value = {
  outcome: 'value',
  call: 'f(3, "a")',
  expected: { repr: '12', type: 'int' },
  observed: { repr: '4', type: 'int' }
};
const reports = (fact, said, index = 0) =>
  isReported(fact, said, CODE, CHECKS, index);

test('a wrong value needs its call, expected and observed', () => {
  assert.ok(reports(value, `- \`f(3, 'a')\` is 4, expected 12`));
  assert.ok(reports(value, 'assert f( 3,"a" )==12 fails: 4'));
});

test('a wrong value is unknown where one of the three is missing', () => {
  assert.ok(!reports(value, 'observed 4, expected 12'));
  assert.ok(!reports(value, 'assert f(3, "a") == 12 does not hold'));
  assert.ok(!reports(value, 'f(3, "a") is 4'));
});

test('parts of numbers, counts and other checks do not count', () => {
  const check = 'assert f(3, "a") == 12';
  assert.ok(!reports(value, `${check}: observed 41`));
  assert.ok(!reports(value, `${check}: observed 4.5`));
  assert.ok(!reports(value, `${check}: observed -4`));
  assert.ok(!reports(value, `${check} in line 4`));
  assert.ok(!reports(value, `${check}\n---> 4 raised`));
  assert.ok(!reports(value, `${check} was in attempt 4, 4 of 5 hold`));
  assert.ok(!reports(value, `${check} and assert f(4, "b") == 20 gave 4`));
});

test('types are needed where they differ', () => {
  const wrong = { ...value, observed: { repr: "'12'", type: 'str' } };
  assert.ok(!reports(wrong, 'assert f(3, "a") == 12: observed "12"'));
  assert.ok(
    reports(wrong, 'f(3, "a"): expected 12 (int), observed "12" (str)')
  );
  const none = { ...value, observed: { repr: 'None', type: 'NoneType' } };
  assert.ok(reports(none, 'f(3, "a"): expected 12, observed None'));
});

test('an error needs its name, its line and its call', () => {
  const error = {
    outcome: 'raises',
    where: 'check',
    call: 'f(4, "b")',
    name: 'NameError',
    message: "name 'm' is not defined",
    lines: [2]
  };
  assert.ok(reports(error, 'f(4, "b") raised NameError in line 2', 1));
  assert.ok(reports(error, 'f(4, "b"): NameError at `return n + len(s)`', 1));
  assert.ok(!reports(error, 'f(4, "b") raised NameError in line 3', 1));
  assert.ok(!reports(error, 'NameError in line 2', 1));
  assert.ok(!reports(error, 'f(4, "b") raised an error in line 2', 1));
  assert.ok(reports({ ...error, where: 'cell' }, 'NameError in line 2'));
  const types = { ...error, name: 'TypeError', message: "'int' and 'str'" };
  assert.ok(!reports(types, 'f(4, "b") raised TypeError in line 2', 1));
  assert.ok(
    reports(types, `f(4, "b") raised TypeError: 'int' and 'str' in line 2`, 1)
  );
});

test('a program that does not end needs that and its line', () => {
  const hangs = { outcome: 'hangs', lines: [2] };
  assert.ok(reports(hangs, 'timeout: limit 2 s, busy in line 2'));
  assert.ok(!reports(hangs, 'timeout: limit 2 s'));
  assert.ok(!reports(hangs, 'it ended in line 2'));
});

const observed = n => ({ ...value, observed: { repr: n, type: 'int' } });
const planted = {
  bugs: ['a', 'b'],
  checks: CHECKS,
  programs: {
    0: { code: 'x0', facts: [{ outcome: 'holds' }, { outcome: 'holds' }] },
    1: { code: 'x1', facts: [observed('1'), { outcome: 'holds' }] },
    2: { code: 'x2', facts: [observed('2'), { outcome: 'holds' }] },
    3: { code: 'x3', facts: [observed('2'), { outcome: 'holds' }] }
  }
};
const ask = { role: 'user', content: 'f(3, "a") is 2, expected 12' };
const own = { role: 'assistant', content: '```\nx3\n```' };

test('without a program of its own it writes the first one', () => {
  assert.equal(programmer(planted)([ask]), '3');
});

test('it repairs one bug at a time, of the failing check', () => {
  // Bug a changes nothing of the check while bug b is there.
  assert.equal(programmer(planted)([ask, own, ask]), '1');
});

test('it repeats its program where nothing new is reported', () => {
  const vague = { role: 'user', content: 'It scored 0.5.' };
  assert.equal(programmer(planted)([ask, own, vague]), '3');
  assert.equal(programmer(planted)([ask, own]), '3');
});
