/** @jest-environment node */
import { initialState } from '../../../core/events/fold';
import { NO_USAGE } from '../../../core/domain/model';
import type { CheckCell } from '../../../core/domain/request';
import { settingsSchema } from '../../../core/settings';
import { resultOf } from '../targetRun';

const check = (role: CheckCell['role'], statements: number): CheckCell => ({
  cellId: role,
  index: 1,
  role,
  source: '',
  statements
});

it('counts the checks of the request where none was run', () => {
  const target = { cellId: 't', index: 0, kind: 'code', source: '' } as const;
  const result = resultOf(target, {
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
    state: initialState('s'),
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
      kernelMs: 0
    }
  });
  expect(result).toMatchObject({
    status: 'interrupted',
    assertions: { passed: 0, total: 4 },
    holdouts: { passed: 0, total: 2 }
  });
});
