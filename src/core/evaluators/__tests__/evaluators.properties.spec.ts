/** Scorer, static checks and human together: whatever they say and whenever they are cancelled, a session keeps its word. */
import fc from 'fast-check';
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import type { Reviewed } from '../../deps';
import type { Execution } from '../../domain/execution';
import type { Evaluation } from '../../domain/verdict';
import { makeRequest } from '../../__tests__/requests';
import { answer, run } from '../../__tests__/sessions';

type Step = {
  readonly holds: boolean;
  /** Null: the scorer raises. */
  readonly value: number | null;
  readonly broken: boolean;
};

const step: fc.Arbitrary<Step> = fc.record({
  holds: fc.boolean(),
  value: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
  broken: fc.boolean()
});

const reviewed: fc.Arbitrary<Reviewed | 'fails'> = fc.constantFrom(
  { decision: 'approve' as const },
  { decision: 'reject' as const, hint: 'Once more.' },
  { decision: 'reject' as const, hint: 'And once more.' },
  { decision: 'reject' as const, hint: '' },
  'fails' as const
);

const schedule = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  reviews: fc.array(reviewed, { minLength: 1, maxLength: 6 }),
  permissions: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
  scorer: fc.boolean(),
  human: fc.boolean(),
  checks: fc.boolean(),
  approve: fc.boolean(),
  min: fc.boolean(),
  target: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
  patience: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  stopAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null })
});

type Schedule = typeof schedule extends fc.Arbitrary<infer S> ? S : never;

/** The step that an attempt plays, found by its code. */
function stepOf(s: Schedule, code: string): Step {
  return s.steps[Number(/\d+/.exec(code)?.[0] ?? 0) % s.steps.length];
}

function execution(s: Schedule, code: string): Partial<Execution> {
  const { holds, value, broken } = stepOf(s, code);
  const findings = [
    {
      line: 1,
      code: 'undefined-name',
      message: 'undefined name',
      severity: broken ? ('error' as const) : ('warning' as const)
    }
  ];
  return {
    assertions: s.checks
      ? [fakeAssertion({ outcome: holds ? 'passed' : 'failed' })]
      : [],
    findings,
    ...(s.scorer && (holds || !s.checks)
      ? {
          scored: {
            value,
            goal: s.min ? ('min' as const) : ('max' as const),
            name: 'm',
            ...(value === null
              ? { error: { name: 'E', message: '', traceback: '' } }
              : {})
          }
        }
      : {})
  };
}

async function play(s: Schedule) {
  const controller = new AbortController();
  let reviews = 0;
  let asked = 0;
  let open = 0;
  let most = 0;
  let seen = 0;
  const granted = new Set<number>();
  const closed: string[] = [];
  const ask = async <T>(reply: () => T): Promise<T> => {
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return reply();
  };
  let written = 0;
  const generator = new FakeModel([() => answer(`x = ${written++}`)]);
  const executor = new FakeExecutor(job => {
    const attempt = Number(/:(\d+)\./.exec(job.id)![1]);
    if (s.approve && !granted.has(attempt)) {
      closed.push(`attempt ${attempt} ran without permission`);
    }
    return execution(s, job.candidate);
  });
  const ended = await run(
    makeRequest({
      ...(s.checks ? {} : { assertions: [] }),
      ...(s.scorer
        ? { scorer: { cellId: 'scorer', index: 3, source: 'def score(ns): …' } }
        : {}),
      options: {
        evaluators: [
          'assertions',
          'static',
          ...(s.human ? (['human'] as const) : [])
        ],
        approveExecution: s.approve,
        targetScore: s.scorer ? s.target : null,
        patience: s.patience,
        maxAttempts: s.maxAttempts
      }
    }),
    {
      generator,
      executor,
      signal: controller.signal,
      review: () =>
        ask(() => {
          const reply = s.reviews[reviews++ % s.reviews.length];
          if (reply === 'fails') {
            throw new Error('dialog gone');
          }
          return reply;
        }),
      ask: (_, __, detail) =>
        ask(() => {
          const isAllowed = s.permissions[asked++ % s.permissions.length];
          if (isAllowed && detail) {
            granted.add(detail.attempt!);
          }
          return isAllowed;
        })
    },
    () => {
      if (seen++ === s.stopAfter) {
        controller.abort();
      }
    }
  );
  return { ...ended, executor, most, closed };
}

it('every schedule of verdicts and stops keeps the rules', async () => {
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(schedule, async s => {
      const { outcome, state, executor, most, closed } = await play(s);
      reasons.add(outcome.stopReason);
      expect(closed).toEqual([]);
      expect(most).toBeLessThanOrEqual(1);
      expect(executor.active).toBe(0);
      expect(outcome.attempts).toBeLessThanOrEqual(s.maxAttempts);
      expect(outcome.passed).toBe(outcome.best?.evaluation === 'pass');
      const best = state.attempts.find(a => a.attempt === state.best);
      const parts = best?.verdict?.parts ?? [];
      const said = (name: string): Evaluation | undefined =>
        parts.find(part => part.evaluator === name)?.evaluation;
      if (outcome.passed) {
        // Every one that decides held, and somebody did.
        expect(outcome.checkedBy).not.toBe('none');
        expect(s.checks ? said('assertions') : 'pass').toBe('pass');
        expect(s.human ? said('human') : 'pass').toBe('pass');
        expect(said('static')).toBe('pass');
        expect(s.scorer && s.target !== null ? said('scorer') : 'pass').toBe(
          'pass'
        );
      }
      const openEnded = s.scorer && s.target === null && !s.human;
      if (openEnded) {
        expect(outcome.stopReason).not.toBe('passed');
        // Nothing that passed is worse than another that did, in the metric's direction.
        const values = state.attempts
          .filter(a => a.verdict?.evaluation === outcome.best?.evaluation)
          .map(a => a.verdict?.metric?.value)
          .filter(value => value !== undefined);
        if (s.checks && outcome.passed && values.length > 0) {
          expect(outcome.best?.metric?.value).toBe(
            s.min ? Math.min(...values) : Math.max(...values)
          );
        }
      }
      if (!s.scorer && !s.human && !s.checks) {
        expect(outcome.passed).toBe(false);
      }
      if (outcome.stopReason === 'rejected') {
        expect(s.human || s.approve).toBe(true);
      }
    }),
    { numRuns: process.env['REFINE_FULL'] ? 300 : 100 }
  );
  // Or the schedules are too tame to show anything.
  for (const reason of [
    'passed',
    'max-attempts',
    'patience',
    'rejected',
    'stopped',
    'no-checks'
  ]) {
    expect(reasons).toContain(reason);
  }
}, 120000);
