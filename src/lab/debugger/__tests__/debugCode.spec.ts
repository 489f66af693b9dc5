import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { checkCell, makeRequest } from '../../../core/__tests__/requests';
import { attemptOf, stateOf } from '../../../core/__tests__/states';
import type { AssertionResult } from '../../../core/domain/execution';
import { debuggable, debugCode } from '../debugCode';

const CHECK =
  'seven = 7\nassert f(1) == 1\nassert f(\n    seven\n) == 14\nassert g()';
const request = makeRequest({
  assertions: [checkCell(CHECK, 3)],
  holdouts: [checkCell('assert secret()', 1, 'holdout')]
});

const failing = (result: Partial<AssertionResult>, number = 1) =>
  attemptOf(number, {
    code: 'def f(n):\n    return n\n',
    assertions: [fakeAssertion({ cellId: 'check', ...result })]
  });

describe('debugCode', () => {
  it('ends with the statement that failed, and stops at it', () => {
    const attempt = failing({
      line: 3,
      source: 'assert f(\n    seven\n) == 14',
      outcome: 'failed'
    });
    const found = debugCode(attempt, stateOf([attempt], { request }));
    expect(found?.source).toBe(
      'def f(n):\n    return n\n\nseven = 7\nassert f(1) == 1\nassert f(\n    seven\n) == 14'
    );
    expect(found?.source.split('\n')[found.line - 1]).toBe('assert f(');
  });

  it('stops where the candidate itself raised', () => {
    const error = { name: 'KeyError', message: '', traceback: '' };
    const attempt = attemptOf(1, {
      code: '# a\n\nx = d["k"]\ny = 1',
      execution: fakeExecution({ error: { ...error, candidateLine: 3 } })
    });
    expect(debugCode(attempt, stateOf([attempt], { request }))).toMatchObject({
      source: attempt.code,
      line: 3
    });
    const elsewhere = { ...attempt, execution: fakeExecution({ error }) };
    expect(debugCode(elsewhere, stateOf([elsewhere], { request }))?.line).toBe(
      3
    );
  });

  it('shows nothing of a hold-out', () => {
    const attempt = failing({
      cellId: 'hidden',
      role: 'holdout',
      source: '',
      outcome: 'failed'
    });
    expect(debugCode(attempt, stateOf([attempt], { request }))).toBeNull();
  });
});

describe('debuggable', () => {
  const failed = { line: 6, source: 'assert g()', outcome: 'failed' } as const;
  const passed = { ...failed, outcome: 'passed' } as const;
  const state = stateOf(
    [failing(failed, 1), failing(failed, 2), failing(passed, 3)],
    { request }
  );

  it('takes the last attempt that failed, or the one of a number', () => {
    expect(debuggable(state)?.attempt).toBe(2);
    expect(debuggable(state, 1)?.attempt).toBe(1);
    expect(debuggable(state, 3)).toBeNull();
    expect(debuggable(null)).toBeNull();
  });

  it('is for Python alone', () => {
    const r = { ...state, request: { ...request, language: 'r' } };
    expect(debuggable(r)).toBeNull();
  });
});
