import type { Execution } from '../../domain/execution';
import { bounded } from '../bounded';
import type { AttemptState } from '../state';

const PLOT = 'x'.repeat(150_000);

function attempt(number: number): AttemptState {
  const displays = [
    { mime: 'text/plain', data: 'small' },
    { mime: 'image/png', data: PLOT, text: '<Figure>' }
  ];
  return {
    attempt: number,
    prompt: [{ role: 'user', content: 'long' }],
    execution: { displays } as unknown as Execution
  } as unknown as AttemptState;
}

/** As a session calls it: once for each attempt. */
const session = (count: number) =>
  Array.from({ length: count }, (_, i) => attempt(i)).reduce(
    (all: readonly AttemptState[], next) => bounded([...all, next]),
    []
  );

test('the outputs of the newest attempts are kept in full', () => {
  const attempts = session(5);
  expect(attempts.map(a => a.execution?.displays[1].data)).toEqual(
    Array.from({ length: 5 }, () => PLOT)
  );
});

test('of older attempts, large outputs leave their size and text', () => {
  const attempts = session(8);
  for (const old of attempts.slice(0, 3)) {
    expect(old.execution?.displays).toEqual([
      { mime: 'text/plain', data: 'small' },
      { mime: 'image/png', data: '', text: '<Figure>', leftOut: 150_000 }
    ]);
  }
  expect(attempts[3].execution?.displays[1].data).toBe(PLOT);
});

test('the exact prompts of the newest hundred attempts are kept', () => {
  const attempts = session(103);
  expect(attempts.map(({ prompt }) => prompt.length)).toEqual([
    ...Array.from({ length: 3 }, () => 0),
    ...Array.from({ length: 100 }, () => 1)
  ]);
});
