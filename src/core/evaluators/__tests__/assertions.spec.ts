import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { judgeExecution } from '../assertions';
import type { Execution } from '../../domain/execution';
import { checkCell, makeRequest } from '../../__tests__/requests';

const holdouts = [checkCell('assert h', 1, 'holdout')];
const held = fakeAssertion();
const failed = fakeAssertion({
  line: 2,
  outcome: 'failed',
  source: 'assert f(2)'
});
const notRun = fakeAssertion({ line: 3, outcome: 'not-run' });
const hidden = (outcome: 'passed' | 'failed' | 'not-run') =>
  fakeAssertion({
    cellId: 'hidden',
    role: 'holdout',
    outcome,
    source: 'assert h'
  });

function judge(parts: Partial<Execution>, request = makeRequest()) {
  return judgeExecution(request, fakeExecution(parts));
}

it('passes when all that was checked held', () => {
  expect(
    judge({ assertions: [held, { ...failed, outcome: 'passed' }] })
  ).toEqual({
    evaluator: 'assertions',
    evaluation: 'pass',
    score: 1,
    passed: 2,
    total: 2,
    reasons: []
  });
});

it('leaves it to a scorer to say what nothing else checks', () => {
  const scorer = { cellId: 's', index: 2, source: '' };
  const request = makeRequest({ assertions: [], scorer });
  expect(judge({}, request).reasons).toEqual([]);
});

it('scores the share that held', () => {
  expect(judge({ assertions: [held, failed, notRun] })).toMatchObject({
    evaluation: 'needs-improvement',
    score: 1 / 3,
    passed: 1,
    total: 3,
    reasons: ['Line 2 failed: assert f(2)']
  });
});

it('counts hold-outs in the score, and shows k of n assertions', () => {
  const request = makeRequest({ holdouts });
  expect(
    judge({ assertions: [held, hidden('failed')] }, request)
  ).toMatchObject({
    evaluation: 'needs-improvement',
    score: 0.5,
    passed: 1,
    total: 1,
    reasons: ['A held-out check failed.']
  });
  expect(
    judge({ assertions: [held, hidden('passed')] }, request).evaluation
  ).toBe('pass');
});

it.each([
  ['a hold-out that did not run', { assertions: [held, hidden('not-run')] }],
  ['a hold-out that is missing', { assertions: [held] }],
  ['nothing checked although there are checks', { assertions: [] }],
  [
    'tampering',
    { assertions: [held, hidden('passed')], tampering: ['len replaced'] }
  ],
  [
    'a candidate that raised',
    { status: 'error', assertions: [held, hidden('passed')] }
  ],
  [
    'a cut',
    { status: 'cut', stop: 'timeout', assertions: [held, hidden('passed')] }
  ]
] as const)('never passes with %s', (_, parts) => {
  const verdict = judge(parts as Partial<Execution>, makeRequest({ holdouts }));
  expect(verdict.evaluation).not.toBe('pass');
});

it.each([
  'harness',
  'kernel-died',
  'kernel-restarted',
  'stopped',
  'interrupted'
] as const)('does not know after %s', stop => {
  expect(judge({ status: 'cut', stop, assertions: [held] })).toMatchObject({
    evaluation: 'unknown',
    score: null
  });
});

it.each([
  'timeout',
  'memory',
  'output',
  'cpu',
  'processes',
  'crashed'
] as const)('fails a candidate that was ended by %s', stop => {
  expect(
    judge({ status: 'cut', stop, stopMessage: 'limit 2 s' })
  ).toMatchObject({
    evaluation: 'fail',
    score: 0,
    total: 2,
    reasons: ['limit 2 s']
  });
});

it('does not know where nothing checks', () => {
  const request = makeRequest({ assertions: [] });
  expect(judge({}, request)).toMatchObject({
    evaluation: 'unknown',
    score: null
  });
  expect(judge({ status: 'error' }, request).evaluation).toBe('fail');
});

it('what it says where only hold-outs check it, they are what is shown', () => {
  const request = makeRequest({ assertions: [], holdouts });
  expect(judge({ assertions: [hidden('passed')] }, request)).toMatchObject({
    evaluation: 'pass',
    passed: 1,
    total: 1
  });
});
