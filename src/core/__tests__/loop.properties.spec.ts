import fc from 'fast-check';
import { FakeClock } from '../../testing/fakeClock';
import {
  FakeExecutor,
  fakeAssertion,
  type FakeRun
} from '../../testing/fakeExecutor';
import { fakeEnd, FakeModel, type FakeStep } from '../../testing/fakeModel';
import { compareVerdicts } from '../events/best';
import { RefineError } from '../errors';
import { fold, initialState } from '../events/fold';
import { parseEvents, stringifyEvent } from '../events/journal';
import { refine } from '../loop';
import { Steering } from '../session/steering';
import type { IEvaluator } from '../domain/verdict';
import { checkCell, makeRequest } from './requests';
import { answer, drain } from './sessions';

const STATEMENTS = 4;

/** A step of a model's answer, faults included. */
const step: fc.Arbitrary<FakeStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('x = 1', 'y = 2', 'z = 3')
      .map(code => ({ type: 'text' as const, text: answer(code) }))
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('Some thought. ', '```python\n', 'half =', '```\n')
      .map(text => ({ type: 'text' as const, text }))
  },
  fc.constant({ type: 'reasoning' as const, text: 'Hm. ' }),
  fc.constant({
    type: 'retry' as const,
    reason: 'again',
    delayMs: 1,
    usage: null
  }),
  fc.constant({ type: 'warning' as const, message: 'careful' }),
  fc
    .integer({ min: 1, max: 20000 })
    .map(ms => ({ type: 'delay' as const, ms })),
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        new RefineError('model', 'refused', { code: 'unauthorized' }),
        new TypeError('bug')
      )
      .map(error => ({ type: 'throw' as const, error }))
  }
);

const script = fc
  .tuple(
    fc.array(step, { maxLength: 5 }),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant('stop' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'length' as const,
          'hang' as const,
          'none' as const
        )
      }
    ),
    fc.record({ promptTokens: fc.nat(400), completionTokens: fc.nat(64) })
  )
  .map(([steps, last, tokens]): FakeStep[] => {
    const usage = { calls: 1, estimated: false, cost: null, ...tokens };
    return last === 'none'
      ? steps
      : [...steps, last === 'hang' ? { type: 'hang' } : fakeEnd(usage, last)];
  });

const execution: fc.Arbitrary<FakeRun> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(STATEMENTS - 1), fc.nat(8000))
      .map(([passed, durationMs]) => ({
        durationMs,
        assertions: Array.from({ length: STATEMENTS }, (_, i) =>
          fakeAssertion({
            line: i + 1,
            outcome: i < passed ? ('passed' as const) : ('failed' as const)
          })
        )
      }))
  },
  fc.constant<FakeRun>({
    assertions: Array.from({ length: STATEMENTS }, (_, i) =>
      fakeAssertion({ line: i + 1 })
    )
  }),
  fc.constant<FakeRun>({
    status: 'error',
    error: { name: 'E', message: 'm', traceback: 't' }
  }),
  fc
    .constantFrom(
      'timeout' as const,
      'crashed' as const,
      'harness' as const,
      'kernel-died' as const,
      'kernel-restarted' as const,
      'interrupted' as const
    )
    .map(stop => ({ status: 'cut' as const, stop })),
  fc.constant<FakeRun>('hang'),
  fc.constantFrom<FakeRun>(
    new Error('bug'),
    new RefineError('kernel', 'gone', { code: 'kernel-restarted' })
  )
);

/** A judge's answers, faults included. */
const judgement = fc
  .constantFrom<FakeStep>(
    { type: 'text', text: '{"evaluation": "PASS", "score": 9}' },
    { type: 'text', text: 'Score: 4/10' },
    { type: 'text', text: 'I cannot say.' },
    { type: 'hang' },
    {
      type: 'throw',
      error: new RefineError('model', 'no', { code: 'bad-request' })
    }
  )
  .map(first => [first, fakeEnd()]);

const schedule = fc.record({
  judge: fc.option(fc.array(judgement, { minLength: 1, maxLength: 3 }), {
    nil: null
  }),
  measures: fc.option(
    fc.array(fc.option(fc.nat(9), { nil: null }), {
      minLength: 1,
      maxLength: 4
    }),
    { nil: null }
  ),
  targetScore: fc.option(fc.nat(9), { nil: null }),
  scripts: fc.array(script, { minLength: 1, maxLength: 6 }),
  executions: fc.array(execution, { minLength: 1, maxLength: 8 }),
  maxAttempts: fc.integer({ min: 1, max: 5 }),
  maxTokens: fc.option(fc.integer({ min: 600, max: 4000 }), { nil: null }),
  source: fc.constantFrom('', 'x = 0'),
  checks: fc.boolean(),
  stopAfter: fc.option(fc.nat(60), { nil: null }),
  pauseAfter: fc.option(fc.nat(20), { nil: null }),
  brokenEvaluator: fc.boolean(),
  live: fc.boolean(),
  patience: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null })
});

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

let judges = 0;

async function play(s: Schedule) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const steering = new Steering();
  const generator = new FakeModel(s.scripts, { clock });
  const runs = s.executions.map((run, i): FakeRun =>
    run instanceof Error || run === 'hang'
      ? run
      : {
          ...run,
          ...(s.checks ? {} : { assertions: [] }),
          ...(s.measures && run.status === undefined
            ? {
                scored: {
                  name: 'm',
                  goal: 'min' as const,
                  value: s.measures[i % s.measures.length]
                }
              }
            : {})
        }
  );
  const evaluatorModel = new FakeModel(s.judge ?? [''], {
    clock,
    identity: { model: `judge-${judges++}` }
  });
  const executor = new FakeExecutor(runs, {
    clock,
    isolation: s.live ? { mode: 'live', memory: false } : {}
  });
  const broken: IEvaluator = {
    name: 'static',
    required: false,
    evaluate: () => Promise.reject(new Error('bug'))
  };
  const { judgeExecution } = await import('../evaluators/assertions');
  const request = makeRequest({
    source: s.source,
    assertions: s.checks ? [checkCell('assert True', STATEMENTS)] : [],
    ...(s.measures
      ? { scorer: { cellId: 's', index: 3, source: 'def score(ns): …' } }
      : {}),
    options: {
      maxAttempts: s.maxAttempts,
      maxTokens: s.maxTokens,
      sessionTimeout: 60,
      patience: s.patience,
      targetScore: s.targetScore,
      evaluators: ['assertions', ...(s.judge ? (['judge'] as const) : [])]
    }
  });
  const stream = refine(request, {
    generator,
    executor,
    clock,
    steering,
    evaluators: s.brokenEvaluator
      ? [
          {
            name: 'assertions',
            required: true,
            evaluate: async ({ request, execution }) =>
              judgeExecution(request, execution)
          },
          broken
        ]
      : undefined,
    evaluatorModel,
    ask: async () => true,
    signal: controller.signal
  });
  let seen = 0;
  const drained = drain(stream, () => {
    seen++;
    if (seen === s.stopAfter) {
      controller.abort();
    }
    if (seen === s.pauseAfter) {
      steering.pause();
      steering.hint('Use a loop.');
      setTimeout(() => steering.continue(), 0);
    }
  });
  let over = false;
  void drained.then(() => (over = true));
  for (let i = 0; i < 40 && !over; i++) {
    await clock.advance(3000);
  }
  expect(over).toBe(true);
  const ended = await drained;
  return {
    ended,
    generator,
    evaluatorModel,
    executor,
    request,
    ms: clock.now()
  };
}

it('every schedule keeps its limits and its best, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async s => {
      const { ended, ...rest } = await play(s);
      const { generator, evaluatorModel, executor, ms } = rest;
      const { events } = ended;
      expect(events.filter(e => e.type === 'session-end')).toHaveLength(1);
      expect(events[events.length - 1].type).toBe('session-end');
      expect(generator.active + evaluatorModel.active).toBe(0);
      expect(executor.active).toBe(0);
      const end = events[events.length - 1];
      if (end.type !== 'session-end') {
        return;
      }
      const { outcome } = end;
      // An answer without code is asked again.
      const again = generator.requests.filter(({ messages }) =>
        messages.at(-1)?.content.includes('Write the code block of the cell')
      ).length;
      expect(outcome.attempts).toBeLessThanOrEqual(s.maxAttempts);
      expect(outcome.attempts).toBe(generator.requests.length - again);
      expect(outcome.usage.calls).toBe(
        generator.requests.length + evaluatorModel.requests.length
      );
      expect(ms).toBeLessThanOrEqual(60000 + 3000 * 3);
      if (
        s.maxTokens !== null &&
        s.judge === null &&
        s.scripts.every(
          steps => !steps.some(x => x.type === 'text' && x.text.length > 200)
        )
      ) {
        // Each fake call reports at most 400 + 64 tokens, whatever was reserved.
        const used =
          outcome.usage.promptTokens + outcome.usage.completionTokens;
        expect(used).toBeLessThanOrEqual(s.maxTokens + 464);
      }
      const judged = ended.state.attempts.filter(
        a => a.verdict && (a.failure === null || a.failure.code === 'stopped')
      );
      for (const attempt of judged) {
        if (attempt.failure === null) {
          expect(outcome.best).not.toBeNull();
          const best = ended.state.attempts.find(
            a => a.attempt === outcome.best!.attempt
          )!;
          expect(
            compareVerdicts(best.verdict!, attempt.verdict!)
          ).toBeGreaterThanOrEqual(0);
        }
      }
      expect(outcome.passed).toBe(
        ended.state.attempts.some(a => a.verdict?.evaluation === 'pass')
      );
      if (!s.checks && !s.judge && !s.measures) {
        expect(outcome.passed).toBe(false);
      }
    }),
    { numRuns: process.env['REFINE_FULL'] ? 300 : 100 }
  );
}, 120000);

it('a recorded session folds to the state that the live one had', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async s => {
      const { ended } = await play(s);
      const text = ended.events.map(stringifyEvent).join('');
      const recorded = parseEvents(text);
      expect(recorded).toEqual(ended.events);
      expect(recorded.reduce(fold, initialState('session-1'))).toEqual(
        ended.state
      );
    }),
    { numRuns: 60 }
  );
}, 120000);
