import type { AssertionResult } from '../../../core/domain/execution';
import { fakeExecution } from '../../../testing/fakeExecutor';
import { notChecked, reasonOf } from '../reasons';

const execution = fakeExecution();
const check: AssertionResult = {
  id: 'c:1',
  cellId: 'c',
  role: 'assertion',
  line: 1,
  source: 'assert f(2) == 3',
  outcome: 'failed',
  durationMs: 1
};
const value = (repr: string) => ({ expression: 'e', type: 'int', repr });
const error = (name: string, message = '') => ({
  name,
  message,
  traceback: ''
});

it('has no reason for what holds', () => {
  const assertions = [{ ...check, outcome: 'passed' as const }];
  expect(reasonOf({ ...execution, assertions })).toBeNull();
});

it.each([
  ['timeout', 'hang'],
  ['crashed', 'crash'],
  ['memory', 'memory'],
  ['output', 'output'],
  ['processes', 'limit'],
  ['harness', 'fault']
] as const)('calls the stop %s %s', (stop, kind) => {
  const stopMessage = 'what happened, with numbers';
  expect(reasonOf({ ...execution, status: 'cut', stop, stopMessage })).toEqual({
    kind,
    message: stopMessage
  });
});

it.each([
  ['SyntaxError', 'syntax'],
  ['IndentationError', 'syntax'],
  ['ModuleNotFoundError', 'missing-module'],
  ['ZeroDivisionError', 'error']
])('calls the error %s %s', (name, kind) => {
  const found = reasonOf({
    ...execution,
    status: 'error',
    error: { ...error(name, 'why'), candidateLine: 4 }
  });
  expect(found).toEqual({ kind, message: `${name}: why (line 4)` });
});

it('names a check that checks nothing', () => {
  const idle = {
    ...check,
    source: 'if rows:\n    assert rows[0]',
    outcome: 'not-run' as const,
    difference: 'none of its asserts was reached'
  };
  expect(reasonOf({ ...execution, assertions: [idle] })).toEqual({
    kind: 'not-accepted',
    message: '`if rows: …`: none of its asserts was reached'
  });
  const behindAFailure = { ...check, outcome: 'not-run' as const };
  expect(reasonOf({ ...execution, assertions: [behindAFailure] })).toBeNull();
});

it('names what was expected and observed', () => {
  const failed = { ...check, expected: value('3'), observed: value('2') };
  expect(reasonOf({ ...execution, assertions: [failed] })).toEqual({
    kind: 'wrong-value',
    message: '`assert f(2) == 3`: expected 3, observed 2',
    expected: '3',
    observed: '2'
  });
});

it('names the error that a check raised', () => {
  const raised = {
    ...check,
    outcome: 'error' as const,
    error: error('KeyError', "'a'")
  };
  expect(reasonOf({ ...execution, assertions: [raised] })?.message).toBe(
    "`assert f(2) == 3` raised KeyError: 'a'"
  );
});

it('shows nothing of a hidden test that failed', () => {
  const hidden = {
    ...check,
    role: 'holdout' as const,
    source: 'assert f(9) == 9'
  };
  const reason = reasonOf({ ...execution, assertions: [hidden] });
  expect(reason?.kind).toBe('hidden-test');
  expect(reason?.message).not.toContain('f(9)');
});

it('keeps a message on one line', () => {
  expect(notChecked('one\ntwo').message).toBe('not checked: one …');
});
