/** What the panel says of a slow model, and what a fast one costs it. */
import { fold } from '../../../core/events/fold';
import type { RefineEvent } from '../../../core/events/events';
import type { AttemptState } from '../../../core/events/state';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING,
  attempt
} from '../../__tests__/attempts';
import { panel, show } from '../../__tests__/renderPanel';
import { session } from '../../__tests__/views';

const PROMPT = [{ role: 'user', content: 'word '.repeat(1680) }];
const USED = {
  calls: 1,
  promptTokens: 2100,
  completionTokens: 120,
  estimated: false,
  cost: null
};

function slow() {
  const start = session({
    usage: USED,
    attempts: [
      attempt(1, { usage: USED, best: true }),
      attempt(2, {
        phase: 'writing',
        prompt: PROMPT,
        thoughts: '',
        code: '',
        usage: { ...USED, calls: 0, promptTokens: 0, completionTokens: 0 }
      })
    ]
  });
  const at = (ms: number, code: string): RefineEvent => ({
    type: 'candidate-delta',
    at: start.lastAt + ms,
    session: start.session,
    attempt: 2,
    thoughts: '',
    code
  });
  return { start, at };
}

it('counts the prompt while it is read', () => {
  const { start } = slow();
  show({ session: start });
  expect(panel.text()).toContain('reading the prompt');
  expect(panel.text()).toContain('about 4,324 tokens');
});

it('gives the rate, and what is left by the attempts before', () => {
  const { start, at } = slow();
  const first = fold(start, at(5000, 'total = 0\n'));
  const later = fold(first, at(7000, 'x'.repeat(150)));
  show({ session: later });
  expect(panel.text()).toContain('writing');
  // 40 tokens in 2 s, of 120.
  expect(panel.text()).toContain('20 tokens/s, about 4 s left');
  expect(panel.text()).toContain('about 4,364 tokens');
});

it('counts one token by its own word', () => {
  const { start, at } = slow();
  const first = fold(start, at(5000, 'x = 1'));
  show({ session: fold(first, at(7000, '')) });
  expect(panel.text()).toContain('1 token/s');
});

/** Counts reads of `execution`, which every render of a row needs. */
function counted({ execution, ...rest }: AttemptState) {
  let reads = 0;
  const attempt = {
    ...rest,
    get execution() {
      reads++;
      return execution;
    }
  };
  return { attempt, reads: () => reads };
}

it('does not render an earlier row for 200 deltas of a streaming attempt', () => {
  const first = counted(ATTEMPT_1);
  const second = counted(ATTEMPT_2);
  let state = session({
    attempts: [first.attempt, second.attempt, ATTEMPT_3_WRITING],
    best: null
  });
  show({ session: state });
  const before = [first.reads(), second.reads()];
  expect(before[0]).toBeGreaterThan(0);
  const earlier = panel.row(2).innerHTML;
  for (let i = 0; i < 200; i++) {
    state = fold(state, {
      type: 'candidate-delta',
      at: 0,
      session: 's1',
      attempt: 3,
      thoughts: '',
      code: `v = ${i}\n`
    });
    panel.show({ session: state });
  }
  expect([first.reads(), second.reads()]).toEqual(before);
  expect(panel.row(2).innerHTML).toBe(earlier);
  expect(panel.lines(3).at(-1)).toBe(' v = 199');
});
