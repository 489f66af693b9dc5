/** What scorer, static and human say, each by itself. */
import {
  fakeAssertion,
  FakeExecutor,
  fakeExecution
} from '../../../testing/fakeExecutor';
import { HumanEvaluator, isRejected } from '../human';
import { ScorerEvaluator, type ScorerOptions } from '../scorer';
import { StaticEvaluator } from '../static';
import type { Execution, ScorerResult } from '../../domain/execution';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { verdictOf } from '../../__tests__/states';

const input = (execution: Partial<Execution> | null) => ({
  request: makeRequest(),
  attempt: 2,
  candidate: 'x = 1',
  execution: execution === null ? null : fakeExecution(execution)
});

describe('the scorer', () => {
  async function measure(
    scored: Partial<ScorerResult> | null | 'no execution',
    options: Partial<ScorerOptions> = {}
  ) {
    const warnings: (readonly [string, number])[] = [];
    const evaluator = new ScorerEvaluator({
      required: true,
      target: null,
      best: () => null,
      warn: (message, attempt) => warnings.push([message, attempt]),
      ...options
    });
    const verdict = await evaluator.evaluate(
      input(
        scored === 'no execution'
          ? null
          : scored === null
            ? {}
            : { scored: { value: 4, goal: 'min', name: 'RMSE', ...scored } }
      )
    );
    return { verdict, warnings };
  }
  const best = (attempt: number) => () => ({
    attempt,
    metric: { name: 'RMSE', value: 5, goal: 'min' as const, unit: 'm' }
  });

  it.each([
    ['no execution' as const, 'The scorer did not run.'],
    [null, 'The scorer did not run.'],
    [{ value: null }, 'The scorer returned no number.'],
    [{ value: NaN }, 'The scorer returned no number.'],
    [{ value: Infinity }, 'The scorer returned no number.']
  ])(
    'without a value (%j) knows nothing and says why',
    async (scored, said) => {
      const { verdict, warnings } = await measure(scored);
      expect(verdict).toEqual({
        evaluator: 'scorer',
        evaluation: 'unknown',
        score: null,
        reasons: [said]
      });
      expect(warnings).toEqual([[said, 2]]);
    }
  );

  it('that raised says what', async () => {
    const error = { name: 'KeyError', message: 'k', traceback: '' };
    const { verdict } = await measure({ value: null, error });
    expect(verdict.reasons[0]).toMatch(/^The scorer raised KeyError/);
  });

  it('gives value, target, the best before and its comment', async () => {
    const { verdict, warnings } = await measure(
      { unit: 'm', comment: ' Far off. ' },
      { target: 2, best: best(1) }
    );
    expect(verdict).toMatchObject({
      evaluation: 'needs-improvement',
      score: null,
      metric: { name: 'RMSE', value: 4, goal: 'min', unit: 'm' }
    });
    expect(verdict.reasons).toEqual([
      'RMSE is 4 m; less is better.',
      'The target is 2 m.',
      'The best before was 5 m, of attempt 1.',
      'Far off.'
    ]);
    expect(warnings).toEqual([]);
  });

  it('leaves out what there is none of', async () => {
    const { verdict } = await measure({ goal: 'max', comment: ' ' });
    expect(verdict.reasons).toEqual(['RMSE is 4; more is better.']);
    expect(verdict.metric).not.toHaveProperty('unit');
    const first = await measure({}, { best: best(0) });
    expect(first.verdict.reasons[1]).toBe(
      'The best before was 5 m, of the cell as it was.'
    );
  });

  it.each([
    ['min', 4, 'pass'],
    ['min', 3.9, 'needs-improvement'],
    ['max', 4, 'pass'],
    ['max', 4.1, 'needs-improvement'],
    ['min', null, 'needs-improvement']
  ] as const)('%s with the target %p: %s', async (goal, target, evaluation) => {
    const { verdict } = await measure({ goal }, { target });
    expect(verdict.evaluation).toBe(evaluation);
  });
});

describe('static', () => {
  const finding = {
    line: 3,
    code: 'F821',
    message: 'undefined name `x`.',
    severity: 'warning' as const
  };
  const look = (findings: Execution['findings'] | null) => {
    const warnings: string[] = [];
    const evaluator = new StaticEvaluator({
      required: false,
      warn: message => warnings.push(message)
    });
    const evaluate = () =>
      evaluator.evaluate(input(findings === null ? null : { findings }));
    return { evaluate, warnings };
  };

  it('fails by one error, and by no number of warnings', async () => {
    const error = { ...finding, severity: 'error' as const };
    expect(await look([finding, error]).evaluate()).toEqual({
      evaluator: 'static',
      evaluation: 'fail',
      score: null,
      reasons: [
        'Line 3: undefined name `x` (F821)',
        'Line 3: undefined name `x` (F821)'
      ]
    });
    expect((await look([finding]).evaluate()).evaluation).toBe('pass');
    expect((await look([]).evaluate()).evaluation).toBe('pass');
  });

  it('keeps dots that are within a message', async () => {
    const within = { ...finding, message: 'a.b is unused' };
    expect((await look([within]).evaluate()).reasons).toEqual([
      'Line 3: a.b is unused (F821)'
    ]);
  });

  it('knows nothing where nobody looked, and says so once', async () => {
    for (const none of [null, undefined]) {
      const { evaluate, warnings } = look(none);
      const verdict = await evaluate();
      await evaluate();
      expect(verdict).toEqual({
        evaluator: 'static',
        evaluation: 'unknown',
        score: null,
        reasons: ['The source was not inspected.']
      });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('this kernel cannot analyze a candidate');
    }
  });
});

describe('the human', () => {
  const session = (
    review: NonNullable<Parameters<typeof run>[1]>['review'],
    assertions?: []
  ) =>
    run(
      makeRequest({
        ...(assertions ? { assertions } : {}),
        options: { maxAttempts: 1, evaluators: ['assertions', 'human'] }
      }),
      {
        generator: model(answer('holds = 1, 2')),
        executor: new FakeExecutor([
          {
            assertions: assertions ?? [
              fakeAssertion(),
              fakeAssertion({ line: 2 })
            ]
          }
        ]),
        review
      }
    );
  const humanPart = (ended: Awaited<ReturnType<typeof session>>) =>
    ended.state.attempts[0].verdict!.parts!.find(
      part => part.evaluator === 'human'
    );

  it('is asked about an attempt by its number', async () => {
    const { events } = await session(async () => ({ decision: 'approve' }));
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'wait-start',
        for: 'human',
        reason: 'Attempt 1 waits for your review.'
      })
    );
  });

  it('rejects with a hint, or for good', async () => {
    const hinted = await session(async () => ({
      decision: 'reject',
      hint: ' Use a loop. '
    }));
    expect(humanPart(hinted)).toEqual({
      evaluator: 'human',
      evaluation: 'needs-improvement',
      score: null,
      reasons: ['You rejected it: Use a loop.']
    });
    const rejected = await session(async () => ({
      decision: 'reject',
      hint: ' '
    }));
    expect(humanPart(rejected)).toMatchObject({
      evaluation: 'fail',
      reasons: ['You rejected it.']
    });
    expect(rejected.outcome.stopReason).toBe('rejected');
  });

  it('is not asked of what the cell held', async () => {
    const evaluator = new HumanEvaluator({
      questions: null as never,
      review: null as never,
      onHint: () => undefined
    });
    expect(
      await evaluator.evaluate(
        { ...input({}), attempt: 0 },
        () => undefined,
        new AbortController().signal
      )
    ).toEqual({
      evaluator: 'human',
      evaluation: 'unknown',
      score: null,
      reasons: ['Nobody was asked.']
    });
  });

  it('alone or among others: only its fail is a rejection', () => {
    const human = verdictOf({ evaluator: 'human', evaluation: 'fail' });
    expect(isRejected(human)).toBe(true);
    expect(isRejected(verdictOf({ parts: [verdictOf(), human] }))).toBe(true);
    expect(isRejected(verdictOf({ evaluation: 'fail' }))).toBe(false);
    expect(isRejected({ ...human, evaluation: 'needs-improvement' })).toBe(
      false
    );
  });
});
