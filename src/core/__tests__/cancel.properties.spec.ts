/** A stop, or the end of the stream, at every single await of a session. */
import { FakeClock } from '../../testing/fakeClock';
import { FakeExecutor } from '../../testing/fakeExecutor';
import { fakeEnd, FakeModel, type FakeAnswer } from '../../testing/fakeModel';
import { compareVerdicts } from '../events/best';
import type { RefineDeps } from '../deps';
import type { RefineEvent } from '../events/events';
import { fold, initialState } from '../events/fold';
import { refine } from '../loop';
import type { Outcome } from '../domain/outcome';
import type { RefineRequest } from '../domain/request';
import { makeRequest } from './requests';
import { answer, scored } from './sessions';

type Setting = {
  readonly request: RefineRequest;
  readonly deps: Omit<RefineDeps, 'signal' | 'clock'>;
  readonly models: readonly FakeModel[];
  readonly executor: FakeExecutor;
};

const judged = (evaluation: string, score: number) =>
  JSON.stringify({
    evaluation,
    score,
    criteria: {},
    feedback: [],
    done: false
  });

/** Few parts an answer: an await between each pair is enough. */
const fakeModel = (answers: readonly FakeAnswer[]) =>
  new FakeModel(answers, { chunk: 40 });

const long = 'x'.repeat(900);

/** Each call gives the same session again. */
const SETTINGS: Readonly<Record<string, () => Setting>> = {
  'a judge, and feedback that a model condenses': () => {
    const generator = fakeModel([
      answer('holds = 1'),
      answer('holds = 1, 2'),
      answer('x = 2; holds = 1, 2')
    ]);
    const verdicts = [judged('NEEDS_IMPROVEMENT', 6), judged('PASS', 9)];
    const evaluatorModel = fakeModel([
      ({ schema }) => (schema ? verdicts.shift()! : 'Condensed.')
    ]);
    const executor = new FakeExecutor(job => ({
      ...scored(job),
      stderr: long,
      error: job.candidate.includes('2')
        ? undefined
        : { name: 'E', message: long, traceback: long }
    }));
    return {
      request: makeRequest({
        source: 'holds = 0',
        options: { evaluators: ['assertions', 'judge'], feedback: 'summary' }
      }),
      deps: { generator, evaluatorModel, executor },
      models: [generator, evaluatorModel],
      executor
    };
  },
  'a human who lets each candidate run and reviews it': () => {
    const generator = fakeModel([
      answer('holds = 1'),
      answer('holds = 1, 2'),
      answer('x = 2; holds = 1, 2')
    ]);
    const executor = new FakeExecutor(scored);
    return {
      request: makeRequest({
        options: { evaluators: ['assertions', 'human'], approveExecution: true }
      }),
      deps: {
        generator,
        executor,
        ask: async () => true,
        review: async ({ candidate }) =>
          candidate.startsWith('x')
            ? { decision: 'approve' }
            : { decision: 'reject', hint: 'Set x.' }
      },
      models: [generator],
      executor
    };
  },
  'the live kernel, a call that is repeated, one that breaks': () => {
    const generator = fakeModel([
      [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: '```python\nhalf' },
        { type: 'retry', reason: 'again', delayMs: 1, usage: null },
        { type: 'text', text: answer('holds = 2') },
        fakeEnd()
      ],
      [{ type: 'text', text: answer('holds = 1') }, fakeEnd()],
      [{ type: 'text', text: answer('holds = none') }]
    ]);
    const executor = new FakeExecutor(scored, {
      isolation: { mode: 'live', memory: false }
    });
    return {
      request: makeRequest({ source: 'holds = 1, 2' }),
      deps: { generator, executor, ask: async () => true },
      models: [generator],
      executor
    };
  }
};

type Played = {
  /** Microtasks until it was over. */
  readonly ticks: number;
  readonly events: readonly RefineEvent[];
  readonly outcome: Outcome;
};

/** Play until it is over, or end it after so many microtasks. */
async function play(setting: Setting, endAfter: number): Promise<Played> {
  const controller = new AbortController();
  const stream = refine(setting.request, {
    ...setting.deps,
    clock: new FakeClock(),
    signal: controller.signal
  });
  const events: RefineEvent[] = [];
  let outcome: Outcome | null = null;
  const take = (result: IteratorResult<RefineEvent, Outcome>): boolean => {
    if (result.done) {
      outcome = result.value;
    } else {
      events.push(result.value);
    }
    return !result.done;
  };
  const reading = (async () => {
    while (take(await stream.next())) {
      // Until the end.
    }
  })();
  let ticks = 0;
  for (; outcome === null && ticks < endAfter; ticks++) {
    await Promise.resolve();
  }
  controller.abort();
  // No time passes and nothing else happens: it ends by itself, and soon.
  for (let i = 0; i < 500 && outcome === null; i++) {
    await Promise.resolve();
  }
  expect(outcome).not.toBeNull();
  await reading;
  return { ticks, events, outcome: outcome! };
}

function holds({ events, outcome }: Played, setting: Setting): void {
  const types = events.map(event => event.type);
  expect(types.filter(type => type === 'session-end')).toHaveLength(1);
  expect(types[types.length - 1]).toBe('session-end');
  expect(events[events.length - 1]).toMatchObject({ outcome });
  // What was started is accounted for, and nothing continues.
  const calls = setting.models.reduce((n, m) => n + m.requests.length, 0);
  expect(outcome.usage.calls).toBe(calls);
  expect(setting.executor.active).toBe(0);
  expect(setting.models.map(m => m.active)).toEqual(
    setting.models.map(() => 0)
  );
  expect(types[0]).toBe('session-start');
  expect(types.filter(type => type === 'attempt-end')).toHaveLength(
    types.filter(type => type === 'attempt-start').length
  );
  const state = events.reduce(fold, initialState('session-1'));
  expect(state.usage).toEqual(outcome.usage);
  // No attempt that was judged is better than the one that is kept.
  const best = state.attempts.find(a => a.attempt === outcome.best?.attempt);
  for (const { verdict, failure } of state.attempts) {
    if (verdict && failure === null) {
      expect(compareVerdicts(best!.verdict!, verdict)).toBeGreaterThanOrEqual(
        0
      );
    }
  }
}

describe.each(Object.keys(SETTINGS))('%s', name => {
  it('ends whole, whenever a stop comes', async () => {
    const whole = await play(SETTINGS[name](), Infinity);
    const natural = whole.outcome.stopReason;
    expect(['passed', 'model-error']).toContain(natural);
    expect(whole.outcome.attempts).toBeGreaterThan(2);
    expect(whole.ticks).toBeGreaterThan(100);
    for (let n = 0; n <= whole.ticks; n++) {
      const setting = SETTINGS[name]();
      const played = await play(setting, n);
      holds(played, setting);
      expect(['stopped', natural]).toContain(played.outcome.stopReason);
    }
  }, 60000);
});
