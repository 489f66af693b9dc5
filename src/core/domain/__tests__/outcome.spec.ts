import { keepable, type Outcome } from '../outcome';
import { NO_USAGE } from '../model';

const best = {
  attempt: 2,
  candidate: 'x',
  thoughts: '',
  evaluation: 'fail' as const,
  score: 0.5,
  passed: 1,
  total: 2
};
const kept = (parts: Partial<Outcome>) =>
  keepable({
    passed: false,
    checkedBy: 'none',
    stopReason: 'max-attempts',
    best,
    attempts: 2,
    scoreHistory: [],
    converged: false,
    usage: NO_USAGE,
    modelMs: 0,
    kernelMs: 0,
    ...parts
  });

it.each(['max-attempts', 'patience', 'budget', 'timeout'] as const)(
  'the best is kept after %s',
  stopReason => expect(kept({ stopReason })).toBe(best)
);

it.each(['stopped', 'rejected', 'model-error', 'kernel-died'] as const)(
  'nothing is kept after %s',
  stopReason => expect(kept({ stopReason })).toBeNull()
);

it('a pass, an empty one and what the cell held are not kept', () => {
  expect(kept({ passed: true })).toBeNull();
  expect(kept({ best: null })).toBeNull();
  expect(kept({ best: { ...best, candidate: '' } })).toBeNull();
  expect(kept({ best: { ...best, attempt: 0 } })).toBeNull();
});
