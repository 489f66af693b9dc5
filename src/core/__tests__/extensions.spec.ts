/** Sessions whose settings name what other extensions have added. */
import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import type {
  AddedEvaluationInput,
  IAddedEvaluator
} from '../evaluators/added';
import { FEEDBACK_LIMIT } from '../feedback/parts';
import type { IFeedbackStrategy } from '../domain/visible';
import type { RefineOptions } from '../settings';
import { checkCell, makeRequest, type RequestParts } from './requests';
import { answer, model, run } from './sessions';

const SECRET = 'assert fibonacci(7) == 13';

function session(
  options: Partial<RefineOptions>,
  {
    evaluators = [],
    feedback = [],
    executor = new FakeExecutor([{ assertions: [fakeAssertion({})] }]),
    ...parts
  }: RequestParts & {
    evaluators?: readonly IAddedEvaluator[];
    feedback?: readonly IFeedbackStrategy[];
    executor?: FakeExecutor;
  } = {}
) {
  const generator = model(answer('x = 1'), answer('x = 2'));
  const named = <Item extends { readonly name: string }>(
    items: readonly Item[]
  ) => new Map(items.map(item => [item.name, item]));
  return run(
    makeRequest({ ...parts, options: { maxAttempts: 2, ...options } }),
    {
      generator,
      executor,
      extensions: { evaluators: named(evaluators), feedback: named(feedback) }
    }
  ).then(ended => ({ ...ended, generator }));
}

function evaluator(
  passes: (input: AddedEvaluationInput) => boolean,
  required = true
): IAddedEvaluator {
  return {
    name: 'added',
    required,
    evaluate: async input =>
      passes(input)
        ? { evaluation: 'pass', score: 1, reasons: [] }
        : { evaluation: 'fail', score: 0, reasons: ['Write 2.'] }
  };
}

const BOTH = { evaluators: ['assertions', 'added'] };
const wantsTwo = evaluator(({ candidate }) => candidate.includes('2'));

it('a pass never rests on an added evaluator alone', async () => {
  const { outcome } = await session(BOTH, {
    assertions: [],
    executor: new FakeExecutor([{}]),
    evaluators: [evaluator(() => true)]
  });
  expect(outcome).toMatchObject({ passed: false, stopReason: 'no-checks' });
});

it('an evaluator receives nothing of the hold-outs', async () => {
  const seen: AddedEvaluationInput[] = [];
  await session(BOTH, {
    holdouts: [checkCell(SECRET, 1, 'holdout')],
    executor: new FakeExecutor([
      {
        stdout: SECRET,
        assertions: [
          fakeAssertion({}),
          fakeAssertion({ role: 'holdout', source: SECRET })
        ]
      }
    ]),
    evaluators: [evaluator(input => seen.push(input) > 0)]
  });
  expect(seen).toHaveLength(1);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(seen[0].execution?.assertions).toHaveLength(1);
});

it('an unknown evaluator ends the session before the first call', async () => {
  const { outcome, generator } = await session(
    { evaluators: ['assertions', 'judgee'] },
    { evaluators: [wantsTwo] }
  );
  expect(generator.requests).toEqual([]);
  expect(outcome).toMatchObject({
    passed: false,
    stopReason: 'no-checks',
    error: {
      code: 'bad-option',
      kind: 'input',
      message:
        'Unknown evaluator: judgee. Install the extension that adds it, or remove it from the evaluators setting. Known: assertions, static, judge, scorer, human, added.'
    }
  });
});

const failing = () =>
  new FakeExecutor([{ assertions: [fakeAssertion({ outcome: 'failed' })] }]);

it('an added feedback strategy writes feedback within its limit', async () => {
  const { state } = await session(
    { feedback: 'long' },
    {
      executor: failing(),
      feedback: [{ name: 'long', build: () => 'word '.repeat(9000) }]
    }
  );
  const { strategy, text } = state.attempts[0].feedback!;
  expect(strategy).toBe('long');
  expect(text.length).toBeGreaterThan(FEEDBACK_LIMIT / 2);
  expect(text.length).toBeLessThanOrEqual(FEEDBACK_LIMIT);
});

it('an unknown feedback strategy is reported, and auto used', async () => {
  const { state } = await session(
    { feedback: 'loud' },
    { executor: failing() }
  );
  expect(state.attempts[0].feedback?.strategy).toBe('auto');
  expect(state.warnings.map(warning => warning.message)).toEqual([
    'Unknown feedback strategy: loud. The session uses auto. Install the extension that adds it, or change the feedback setting. Known: auto, raw, diff, summary, locals, score.'
  ]);
});
