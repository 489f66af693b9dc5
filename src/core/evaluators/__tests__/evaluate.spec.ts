/** What several evaluators make together. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import type { IEvaluator, Verdict } from '../../domain/verdict';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { verdictOf } from '../../__tests__/states';

function evaluator(
  parts: Partial<Verdict>,
  required = true,
  name = parts.evaluator ?? 'judge'
): IEvaluator {
  return {
    name,
    required,
    evaluate: async () => verdictOf({ evaluator: name, ...parts })
  };
}

const silent = evaluator({ evaluator: 'assertions', evaluation: 'unknown' });
const failing = evaluator({ evaluation: 'needs-improvement', score: 0.5 });

/** The verdict on one attempt; no cell checks the target. */
async function verdictBy(...evaluators: readonly IEvaluator[]) {
  const { state } = await run(
    makeRequest({
      assertions: [],
      scorer: { cellId: 's', index: 3, source: 'def score(ns): …' },
      options: { maxAttempts: 1 }
    }),
    {
      evaluators,
      generator: model(answer('x = 1')),
      executor: new FakeExecutor([{}])
    }
  );
  return { verdict: state.attempts[0].verdict!, warnings: state.warnings };
}

it('none that is required: reported, and unknown', async () => {
  const { verdict } = await verdictBy(
    evaluator({ evaluation: 'pass', score: 1, reasons: ['a'] }, false),
    evaluator({ evaluation: 'pass', score: 1, reasons: ['b'] }, false)
  );
  expect(verdict).toMatchObject({
    evaluator: 'judge+judge',
    evaluation: 'unknown',
    score: null,
    reasons: ['a', 'b']
  });
  expect(verdict.parts).toHaveLength(2);
});

it('the first that does not hold decides, and ends the asking', async () => {
  const { verdict } = await verdictBy(
    evaluator({ evaluation: 'pass', score: 0.9 }),
    failing,
    evaluator({ evaluation: 'pass', score: 1 })
  );
  expect(verdict).toMatchObject({
    evaluation: 'needs-improvement',
    score: 0.5
  });
  expect(verdict.parts).toHaveLength(2);
});

it('all hold: the score is that of the last that gave one', async () => {
  const { verdict } = await verdictBy(
    evaluator({ evaluation: 'pass', score: 0.8 }),
    evaluator({ evaluation: 'pass', score: 0.9 }),
    evaluator({ evaluation: 'pass', score: null })
  );
  expect(verdict).toMatchObject({ evaluation: 'pass', score: 0.9 });
});

it('one that is not required neither stops nor fails it', async () => {
  const { verdict } = await verdictBy(
    evaluator({ evaluation: 'fail', score: 0 }, false),
    evaluator({ evaluation: 'pass', score: 0.7 })
  );
  expect(verdict).toMatchObject({ evaluation: 'pass', score: 0.7 });
});

describe('who has nothing to say', () => {
  it('assertions that there are none of, where others decide', async () => {
    const { verdict } = await verdictBy(
      silent,
      evaluator({ evaluation: 'pass', score: 1 })
    );
    expect(verdict.evaluation).toBe('pass');
  });

  it('but not where no other does, nor one besides assertions', async () => {
    expect((await verdictBy(silent)).verdict.evaluation).toBe('unknown');
    const optional = evaluator({ evaluation: 'pass' }, false);
    expect((await verdictBy(silent, optional)).verdict.evaluation).toBe(
      'unknown'
    );
    const unsure = evaluator({ evaluation: 'unknown' });
    const { verdict } = await verdictBy(
      unsure,
      evaluator({ evaluation: 'pass' })
    );
    expect(verdict.evaluation).toBe('unknown');
  });

  it('and assertions that could not be run do fail it', async () => {
    const { verdict } = await verdictBy(
      evaluator({ evaluator: 'assertions', evaluation: 'unknown', total: 2 }),
      evaluator({ evaluation: 'pass' })
    );
    expect(verdict.evaluation).toBe('unknown');
    const failed = await verdictBy(
      evaluator({ evaluator: 'assertions', evaluation: 'fail' }),
      evaluator({ evaluation: 'pass' })
    );
    expect(failed.verdict.evaluation).toBe('fail');
  });
});

describe('a value that cannot be one is the evaluator’s fault', () => {
  it.each([
    [{ score: NaN }, 'its score is NaN, not from 0 to 1.'],
    [{ score: -0.1 }, 'its score is -0.1, not from 0 to 1.'],
    [{ score: 1.1 }, 'its score is 1.1, not from 0 to 1.'],
    [
      { metric: { name: 'RMSE', value: Infinity, goal: 'min' as const } },
      'its RMSE is Infinity.'
    ]
  ])('%j', async (parts, said) => {
    const { verdict, warnings } = await verdictBy(evaluator(parts));
    const message = `The evaluator judge failed: ${said}`;
    expect(verdict).toEqual({
      evaluator: 'judge',
      evaluation: 'unknown',
      score: null,
      reasons: [message]
    });
    expect(warnings).toEqual([{ attempt: 1, message }]);
  });
});
