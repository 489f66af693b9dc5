/** Runs sessions for the tests of the core. */
import { FakeClock } from '../../testing/fakeClock';
import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../testing/fakeModel';
import { systemClock } from '../clock';
import type { RefineEvent } from '../events/events';
import type { Execution } from '../domain/execution';
import type { ExecutionJob } from '../domain/executor';
import { fold, initialState } from '../events/fold';
import { refine, type RefineDeps } from '../loop';
import type { Outcome } from '../domain/outcome';
import type { RefineRequest } from '../domain/request';
import type { SessionState } from '../events/state';

export type Ended = {
  readonly events: readonly RefineEvent[];
  readonly types: readonly string[];
  readonly outcome: Outcome;
  readonly state: SessionState;
};

/** An answer with one sentence of thought and one block. */
export function answer(code: string, thought = 'I try this.'): string {
  return `${thought}\n\n\`\`\`python\n${code}\n\`\`\`\n`;
}

/** Two assertions: the numbers that occur in the candidate hold, as in `holds 1 2`. */
export function scored(job: ExecutionJob): Partial<Execution> {
  return {
    assertions: [1, 2].map(line =>
      fakeAssertion({
        line,
        source: `assert f(${line})`,
        outcome: new RegExp(`holds.*${line}`).test(job.candidate)
          ? 'passed'
          : 'failed'
      })
    )
  };
}

export function deps(parts: Partial<RefineDeps> = {}): RefineDeps {
  return {
    generator: new FakeModel([answer('holds = 1')]),
    executor: new FakeExecutor(scored),
    clock: systemClock,
    signal: new AbortController().signal,
    ...parts
  };
}

export function model(...answers: readonly FakeAnswer[]): FakeModel {
  return new FakeModel(answers);
}

/** Drain a session and check what holds of every one. */
export async function drain(
  stream: AsyncGenerator<RefineEvent, Outcome>,
  onEvent: (event: RefineEvent) => void = () => undefined,
  state?: SessionState
): Promise<Ended> {
  const events: RefineEvent[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      return ended(events, next.value, state);
    }
    events.push(next.value);
    onEvent(next.value);
  }
}

export function run(
  request: RefineRequest,
  parts: Partial<RefineDeps> = {},
  onEvent?: (event: RefineEvent) => void
): Promise<Ended> {
  return drain(refine(request, deps(parts)), onEvent);
}

/** What holds of every session, however it ended. */
function ended(
  events: readonly RefineEvent[],
  outcome: Outcome,
  earlier?: SessionState
): Ended {
  const types = events.map(event => event.type);
  expect(types[0]).toBe('session-start');
  expect(types.filter(type => type === 'session-start')).toHaveLength(1);
  expect(types.filter(type => type === 'session-end')).toHaveLength(1);
  expect(types[types.length - 1]).toBe('session-end');
  expect(events[events.length - 1]).toMatchObject({ outcome });
  expect(types.filter(type => type === 'attempt-end')).toHaveLength(
    types.filter(type => type === 'attempt-start').length
  );
  const state = events.reduce(fold, earlier ?? initialState(events[0].session));
  expect(state.phase).toBe('ended');
  expect(state.best).toBe(outcome.best?.attempt ?? null);
  expect(outcome.scoreHistory).toEqual(
    state.attempts.map(
      ({ verdict }) =>
        (state.request?.scorer ? verdict?.metric?.value : verdict?.score) ??
        null
    )
  );
  return { events, types, outcome, state };
}

/** Let `ms` of fake time pass in steps, while the session continues. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  await clock.advance(ms);
}
