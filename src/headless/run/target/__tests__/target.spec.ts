/** @jest-environment node */
import { attemptOf, verdictOf } from '../../../../core/__tests__/states';
import { NO_USAGE } from '../../../../core/domain/model';
import type { Outcome } from '../../../../core/domain/outcome';
import type { CheckCell } from '../../../../core/domain/request';
import { initialState } from '../../../../core/events/fold';
import type { SessionState } from '../../../../core/events/state';
import { settingsSchema } from '../../../../core/settings';
import { CHECK_POLICY, type NotebookCell } from '../../../../notebook';
import { fakeAssertion, fakeExecution } from '../../../../testing/fakeExecutor';
import { cellIdsOf, chooseTargets } from '../targetChoice';
import { resultOf } from '../targetResult';

describe('targetChoice', () => {
  function cell(
    id: string,
    source: string,
    metadata: object = {}
  ): NotebookCell {
    return { id, type: 'code', source, metadata: { ...metadata } };
  }

  const CELLS = [
    cell('a', 'x = 1'),
    cell('a1', 'assert x'),
    cell('s', 'y = 1', { nbgrader: { solution: true } }),
    cell('s1', 'assert y', {
      nbgrader: { grade: true, solution: false, locked: true }
    })
  ];

  const choose = (
    named: readonly string[],
    cells: readonly NotebookCell[] = CELLS,
    policy = CHECK_POLICY
  ) =>
    chooseTargets(
      'n.ipynb',
      cells,
      'python',
      cellIdsOf('n.ipynb', cells, named),
      policy
    );

  const ids = (named: readonly string[], cells?: readonly NotebookCell[]) =>
    choose(named, cells).targets.map(target => target.cellId);

  it.each<[readonly string[], readonly string[]]>([
    [[], ['a', 's']],
    [['s'], ['s']],
    [['3'], ['s']],
    [
      ['s1', 'a1', '0'],
      ['a', 's']
    ]
  ])('%j gives %j', (named, expected) => {
    expect(ids(named)).toEqual(expected);
  });

  it('prefers an id that looks like a position', () => {
    expect(
      ids(['1'], [cell('a', 'x'), cell('b', 'y'), cell('1', 'z')])
    ).toEqual(['1']);
  });

  it('reports solution cells that the policy does not allow', () => {
    const chosen = choose([], CELLS, {});
    expect(chosen.targets.map(target => target.cellId)).toEqual(['a']);
    expect(chosen.notes).toEqual([
      expect.stringMatching(/^n\.ipynb cell 2 \[s\]: .*policy/)
    ]);
  });

  it.each<[readonly string[], readonly NotebookCell[], string]>([
    [
      ['zzz'],
      CELLS,
      '--cell zzz: n.ipynb has no such cell; it has 4, from 0 to 3.'
    ],
    [['4'], CELLS, '--cell 4: n.ipynb has no such cell'],
    [['-1'], CELLS, '--cell -1: n.ipynb has no such cell'],
    [
      ['s'],
      CELLS,
      'n.ipynb cell 2 [s]: Refine edits an nbgrader solution cell'
    ],
    [
      [],
      CELLS.slice(2),
      'n.ipynb cell 0 [s]: Refine edits an nbgrader solution cell'
    ],
    [
      [],
      [cell('a', 'x = 1')],
      'n.ipynb has no target. Add a cell with assertions'
    ]
  ])('%j is bad input', (named, cells, message) => {
    expect(() => choose(named, cells, {})).toThrow(message);
    expect(() => choose(named, cells, {})).toThrow(
      expect.objectContaining({ kind: 'input', code: 'no-target' })
    );
  });
});

describe('targetResult', () => {
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
      { attempts: [judged], best: 1 }
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
});
