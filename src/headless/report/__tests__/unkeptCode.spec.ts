/** @jest-environment node */
import { NO_USAGE } from '../../../core/domain/model';
import type { NotebookResult, TargetResult } from '../results';
import { painter } from '../text';
import { unkeptCodeLines } from '../unkeptCode';

function lines(
  fields: Partial<TargetResult>,
  { attempt = 2, candidate = 'x = 1\ny = 2\n', written = '' } = {}
): readonly string[] {
  const target: TargetResult = {
    cellId: 'f',
    index: 1,
    status: 'failed',
    outcome: {
      passed: false,
      checkedBy: 'assertions',
      stopReason: 'max-attempts',
      best: {
        attempt,
        candidate,
        thoughts: '',
        evaluation: 'fail',
        score: 0.5,
        passed: 1,
        total: 2
      },
      attempts: 3,
      scoreHistory: [],
      usage: NO_USAGE,
      modelMs: 0,
      kernelMs: 0
    },
    model: null,
    assertions: { passed: 1, total: 2 },
    holdouts: { passed: 0, total: 0 },
    confirmed: null,
    reason: null,
    tests: [],
    accepted: null,
    message: '',
    ...fields
  };
  const result: NotebookResult = {
    path: 'n.ipynb',
    targets: [target],
    problem: null,
    written: written || null
  };
  return unkeptCodeLines(result, painter(false));
}

const CODE = ['x = 1', 'y = 2'];

it('prints the best candidate of a target that did not pass', () => {
  const expected = [
    '',
    'Best candidate of n.ipynb cell 1 [f], 1 of 2:',
    ...CODE
  ];
  expect(lines({})).toEqual(expected);
  expect(lines({}, { written: 'out.ipynb' })).toEqual(expected);
});

it('prints what passed where it stands in no file', () => {
  const passed = { status: 'passed', accepted: 'ran' } as const;
  expect(lines(passed)).toEqual([
    '',
    'Accepted for n.ipynb cell 1 [f], 1 of 2, not saved to a file:',
    ...CODE
  ]);
  expect(lines(passed, { written: 'out.ipynb' })).toEqual([]);
});

it('prints nothing that is empty or in the notebook already', () => {
  expect(lines({}, { attempt: 0 })).toEqual([]);
  expect(lines({}, { candidate: ' \n' })).toEqual([]);
  expect(lines({ outcome: null })).toEqual([]);
});

it('lets no code steer the terminal', () => {
  expect(lines({}, { candidate: 'x = "\u001b[31m"' }).at(-1)).toBe('x = ""');
});
