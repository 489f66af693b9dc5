/** @jest-environment node */
import { initialState } from '../../../../core/events/fold';
import { NO_USAGE } from '../../../../core/domain/model';
import type { Outcome } from '../../../../core/domain/outcome';
import type { CheckCell } from '../../../../core/domain/request';
import type { SessionState } from '../../../../core/events/state';
import { attemptOf, verdictOf } from '../../../../core/__tests__/states';
import { fakeAssertion, fakeExecution } from '../../../../testing/fakeExecutor';
import { settingsSchema } from '../../../../core/settings';
import { resultOf } from '../targetRun';

const check = (role: CheckCell['role'], statements: number): CheckCell => ({
  cellId: role,
  index: 1,
  role,
  source: '',
  statements
});

const target = { cellId: 't', index: 0, kind: 'code', source: '' } as const;

const result = (
  outcome: Partial<Outcome>,
  change: Partial<SessionState> = {}
) =>
  resultOf(target, {
    request: {
      session: 's',
      path: 'n.ipynb',
      language: 'python',
      target,
      prompt: '',
      promptOrigin: 'none',
      assertions: [check('assertion', 3), check('assertion', 1)],
      holdouts: [check('holdout', 2)],
      context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
      options: settingsSchema.parse({})
    },
    state: { ...initialState('s'), ...change },
    outcome: {
      passed: false,
      checkedBy: 'none',
      stopReason: 'stopped',
      best: null,
      attempts: 1,
      scoreHistory: [],
      converged: false,
      usage: NO_USAGE,
      modelMs: 0,
      kernelMs: 0,
      ...outcome
    }
  });

it('reports who did not accept what holds all its checks', () => {
  const judged = attemptOf(1, {
    execution: fakeExecution({ assertions: [fakeAssertion()] }),
    verdict: verdictOf({
      evaluator: 'judge',
      evaluation: 'needs-improvement',
      score: 0.4,
      reasons: ['Name the units.']
    })
  });
  const best = { attempt: 1 } as Outcome['best'];
  const ended = result(
    { stopReason: 'max-attempts', best },
    { attempts: [judged] }
  );
  expect(ended.message).toBe(
    'judge: needs improvement, 4 of 10 (Name the units.)'
  );
  expect(ended).toMatchObject({
    status: 'failed',
    assertions: { passed: 1, total: 1 },
    reason: { kind: 'not-accepted' }
  });
});

it('names a budget that has no room for an attempt', () => {
  expect(result({ stopReason: 'budget', attempts: 0 }).message).toBe(
    'the budget has no room for an attempt; raise --max-tokens or --max-cost'
  );
  expect(result({ stopReason: 'budget' }).message).toContain('used up');
});

it('counts the checks of the request where none was run', () => {
  expect(result({})).toMatchObject({
    status: 'interrupted',
    assertions: { passed: 0, total: 4 },
    holdouts: { passed: 0, total: 2 }
  });
});
