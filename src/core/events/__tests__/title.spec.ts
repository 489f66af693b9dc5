import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { failureTitle, thoughtTitle } from '../title';
import { sealHoldouts } from '../../domain/visible';
import { checkCell, makeRequest } from '../../__tests__/requests';

it.each([
  ['\nThe base case is missing.\nSo I add it.', 'The base case is missing'],
  ['', ''],
  ['word '.repeat(60), `${'word '.repeat(18).trim()}…`]
])('the first line of %j', (thoughts, title) => {
  expect(thoughtTitle(thoughts)).toBe(title);
});

it.each([
  ['ValueError', 'bad\nsecond line', 'ValueError: bad'],
  ['KeyboardInterrupt', '', 'KeyboardInterrupt']
])('%s: %j', (name, message, title) => {
  const error = { name, message, traceback: '' };
  const raised = fakeExecution({ status: 'error', error });
  expect(failureTitle(raised)).toBe(title);
});

it('of a failed assertion, of a limit, of a hold-out', () => {
  const value = { type: 'int', repr: '54', expression: 'f(10)' };
  const spaced = { ...value, expression: "f('a,  b')" };
  const compared = fakeAssertion({
    outcome: 'failed',
    observed: value,
    expected: { ...value, expression: '55', repr: '55' }
  });
  const request = makeRequest({
    holdouts: [checkCell('assert secret', 1, 'holdout')]
  });
  const of = (...assertions: ReturnType<typeof fakeAssertion>[]) =>
    failureTitle(fakeExecution({ assertions }));
  expect(of(compared)).toBe('f(10) is 54, expected 55');
  expect(of({ ...compared, observed: spaced })).toBe(
    "f('a,  b') is 54, expected 55"
  );
  const long = { ...value, repr: `[${'0, '.repeat(30)}1]` };
  const difference = 'first differs at index 30: 1, expected 2';
  expect(of({ ...compared, observed: long, expected: long, difference })).toBe(
    `f(10): ${difference}`
  );
  expect(of({ ...compared, operator: '<' })).toBe('f(10) is 54, expected < 55');
  expect(of({ ...compared, operator: 'in', source: 'assert x in y' })).toBe(
    'failed: assert x in y'
  );
  expect(of(fakeAssertion({ outcome: 'failed', source: 'assert ok(x)' }))).toBe(
    'failed: assert ok(x)'
  );
  const error = { name: 'Error', message: 'x == 1 is not TRUE', traceback: '' };
  const source = 'stopifnot(y == 1)\nstopifnot(x == 1)';
  expect(of(fakeAssertion({ outcome: 'failed', source, error }))).toBe(
    'Error: x == 1 is not TRUE'
  );
  const hidden = fakeAssertion({
    role: 'holdout',
    cellId: 'hidden',
    source: 'assert secret'
  });
  expect(of(fakeAssertion(), { ...hidden, outcome: 'failed' })).toBe(
    'a held-out check failed'
  );
  expect(of(fakeAssertion())).toBe('');
  const cut = {
    status: 'cut',
    stop: 'timeout',
    stopMessage: 'timeout: limit 2 s'
  } as const;
  expect(failureTitle(fakeExecution(cut))).toBe('timeout: limit 2 s');
  const inHoldout = sealHoldouts(
    request,
    fakeExecution({
      ...cut,
      assertions: [fakeAssertion(), { ...hidden, outcome: 'not-run' }]
    })
  );
  expect(failureTitle(inHoldout)).toBe('a held-out check failed');
});

it('of a long comparison keeps what was observed and expected', () => {
  const titleOf = (call: string, observed: string, expected: string) =>
    failureTitle(
      fakeExecution({
        assertions: [
          fakeAssertion({
            outcome: 'failed',
            observed: { type: 'x', expression: call, repr: observed },
            expected: { type: 'x', expression: 'x', repr: expected }
          })
        ]
      })
    );
  const call = `total([${'1, '.repeat(60)}1])`;
  const short = titleOf(call, '60', '61');
  expect(short).toMatch(/^total\(\[1, .*… is 60, expected 61$/);
  const long = titleOf(call, `'${'a\n'.repeat(99)}'`, `'${'b'.repeat(99)}'`);
  expect(long).toMatch(/^total\(\[1, .*… is 'a a a .*…, expected 'bbb.*…$/);
  expect(long.length).toBeLessThanOrEqual(96);
});
