import { FORK_ISOLATION } from '../../../testing/fakeExecutor';
import { makeRequest } from '../../__tests__/requests';
import { NO_USAGE } from '../../domain/model';
import type { EventBody } from '../../session/session';
import type { RefineEvent } from '../events';
import { fold, initialState } from '../fold';
import type { SessionState } from '../state';

/** The first event at 1 ms, and so on. */
function after(...bodies: readonly EventBody[]): SessionState {
  return bodies.reduce(
    (state, body, at) =>
      fold(state, { ...body, at: at + 1, session: 's' } as RefineEvent),
    initialState('s')
  );
}

const start: EventBody = {
  type: 'session-start',
  request: makeRequest(),
  model: null,
  isolation: FORK_ISOLATION
};
const stop: EventBody = {
  type: 'session-end',
  outcome: {
    passed: true,
    checkedBy: 'assertions',
    stopReason: 'passed',
    best: null,
    attempts: 1,
    scoreHistory: [1],
    converged: false,
    usage: NO_USAGE,
    modelMs: 0,
    kernelMs: 0
  }
};
const restored: EventBody = {
  type: 'acceptance',
  attempt: 1,
  status: 'restored'
};

function wait(subject: 'human' | 'kernel'): EventBody[] {
  return [
    { type: 'wait-start', for: subject, reason: 'why' },
    { type: 'wait-end', for: subject }
  ];
}

it('times the session, not what is done with its cell afterwards', () => {
  expect(after(start, stop).lastAt).toBe(2);
  expect(after(start, stop, restored).lastAt).toBe(2);
  expect(after(start, stop, restored, start).lastAt).toBe(4);
});

it('counts what it waited for the user, not for the kernel', () => {
  expect(after(start, ...wait('kernel')).waitedMs).toBeUndefined();
  expect(after(start, ...wait('human'), ...wait('human')).waitedMs).toBe(2);
});
