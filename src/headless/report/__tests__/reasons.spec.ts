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

it('keeps a message on one line', () => {
  expect(notChecked('one\ntwo').message).toBe('not checked: one …');
});
