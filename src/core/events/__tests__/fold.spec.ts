import {
  fakeAssertion,
  fakeExecution,
  FORK_ISOLATION
} from '../../../testing/fakeExecutor';
import type { RefineEvent } from '../events';
import { fold, initialState, interrupted } from '../fold';
import { NO_USAGE } from '../../domain/model';
import type { EventBody } from '../events';
import type { SessionState } from '../state';
import { makeRequest } from '../../__tests__/requests';

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
const begin = (attempt: number): EventBody => ({
  type: 'attempt-start',
  attempt,
  prompt: []
});
const end = (attempt: number, score: number, best: boolean): EventBody => ({
  type: 'attempt-end',
  attempt,
  verdict: {
    evaluator: 'assertions',
    evaluation: 'needs-improvement',
    score,
    reasons: []
  },
  usage: NO_USAGE,
  durationMs: 5,
  best
});
const run = (attempt: number): EventBody => ({
  type: 'execution-start',
  attempt
});

it('times the session, not what is done with its cell afterwards', () => {
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
  const over = [start, begin(1), end(1, 1, true), stop] as const;
  const restored: EventBody = {
    type: 'acceptance',
    attempt: 1,
    status: 'restored'
  };
  expect(after(...over).lastAt).toBe(4);
  expect(after(...over, restored).lastAt).toBe(4);
  // 3 ms until the end; nothing ran in the 2 ms before it went on.
  const { startedAt, lastAt } = after(...over, restored, start);
  expect([startedAt, lastAt]).toEqual([3, 6]);
  expect(after(start, stop).lastAt).toBe(2);
  expect(after(start, stop, restored).lastAt).toBe(2);
  expect(after(start, stop, restored, start).lastAt).toBe(4);
});

it('keeps the isolation of the last attempt', () => {
  const isolation = {
    ...FORK_ISOLATION,
    mode: 'sidecar'
  } as const;
  const execution = { ...fakeExecution(), isolation };
  const state = after(start, begin(1), {
    type: 'execution-end',
    attempt: 1,
    execution
  });
  expect(state.isolation).toEqual(isolation);
});

it('never changes a state it was given', () => {
  const freeze = (value: unknown): void => {
    if (
      typeof value === 'object' &&
      value !== null &&
      !Object.isFrozen(value)
    ) {
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    }
  };
  let state = initialState('s');
  for (const body of [
    start,
    begin(1),
    { type: 'candidate-delta', attempt: 1, thoughts: 't', code: 'c' },
    run(1),
    { type: 'assertion-end', attempt: 1, result: fakeAssertion() },
    { type: 'execution-end', attempt: 1, execution: fakeExecution() },
    end(1, 0.5, true),
    { type: 'hint', text: 'h' },
    { type: 'warning', message: 'w' }
  ] as EventBody[]) {
    freeze(state);
    state = fold(state, { ...body, at: 1, session: 's' } as RefineEvent);
  }
  expect(state.attempts).toHaveLength(1);
});

it('restarts previews with each execution; the result wins', () => {
  const result = (line: number): EventBody => ({
    type: 'assertion-end',
    attempt: 1,
    result: fakeAssertion({ line })
  });
  const output: EventBody = {
    type: 'execution-output',
    attempt: 1,
    stream: 'stdout',
    text: 'out'
  };
  const previewed = [
    start,
    begin(1),
    run(1),
    result(1),
    result(1),
    result(2),
    output
  ];
  expect(after(...previewed).attempts[0]).toMatchObject({
    output: 'out',
    assertions: { length: 2 }
  });
  expect(after(...previewed, run(1)).attempts[0]).toMatchObject({
    output: '',
    assertions: []
  });
  const execution = fakeExecution({
    assertions: [
      fakeAssertion({ line: 1 }),
      fakeAssertion({ line: 9, role: 'holdout', cellId: 'h' })
    ],
    stdout: 'whole'
  });
  const state = after(...previewed, {
    type: 'execution-end',
    attempt: 1,
    execution
  });
  expect(state.attempts[0]).toMatchObject({ output: 'whole', execution });
  expect(state.attempts[0].assertions).toBe(execution.assertions);
});

it('ends what was cut off when a session goes on', () => {
  const state = after(start, begin(1), end(1, 0.5, true), begin(2), start);
  expect(state.attempts.map(a => [a.phase, a.failure?.code])).toEqual([
    ['ended', undefined],
    ['ended', 'interrupted']
  ]);
  expect(interrupted(after(start, begin(1))).attempts[0]).toMatchObject({
    phase: 'ended',
    failure: { code: 'interrupted' },
    verdict: { evaluation: 'unknown' }
  });
});

it('once a wait is over, what goes on is shown again', () => {
  const waited = (...bodies: EventBody[]) =>
    after(
      start,
      ...bodies,
      { type: 'wait-start', for: 'model', reason: 'r' },
      { type: 'wait-end', for: 'model' }
    ).phase;
  const executed = (attempt: number): EventBody => ({
    type: 'execution-end',
    attempt,
    execution: fakeExecution()
  });
  expect(waited()).toBe('starting');
  expect(waited(begin(0))).toBe('checking');
  expect(waited(begin(0), executed(0))).toBe('judging');
  expect(waited(begin(1))).toBe('writing');
  expect(waited(begin(1), run(1))).toBe('running');
  expect(waited(begin(1), executed(1))).toBe('judging');
  expect(waited(begin(1), end(1, 0, false))).toBe('starting');
});
