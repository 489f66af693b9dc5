import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import { FakeModel } from '../../testing/fakeModel';
import { buildFeedback, feedbackStrategy } from '../feedback';
import type { RefineOptions } from '../options';
import { settingsSchema } from '../settings';
import type { IEvaluator } from '../verdict';
import { withWorkflow } from '../workflow';
import { makeRequest } from './requests';
import { answer, model, run } from './sessions';

const defaults = settingsSchema.parse({});
const workflows = settingsSchema.shape.workflow.unwrap().options;

describe('a preset', () => {
  it.each(workflows)(
    '%s holds where options have their defaults, and applying it again changes nothing',
    workflow => {
      const applied = withWorkflow({ ...defaults, workflow });
      expect(settingsSchema.parse(applied)).toEqual(applied);
      expect(withWorkflow(applied)).toEqual(applied);
      expect(applied.maxAttempts).toBeLessThanOrEqual(defaults.maxAttempts);
    }
  );

  it('gives way to what was chosen', () => {
    const chosen: RefineOptions = {
      ...defaults,
      workflow: 'scored',
      patience: 1,
      memory: 'all'
    };
    expect(withWorkflow(chosen)).toMatchObject({
      patience: 1,
      memory: 'all',
      targetScore: 0.9
    });
  });

  it('shows in the request that the session tells', async () => {
    const { state } = await run(
      makeRequest({ options: { workflow: 'self-refine' } }),
      {
        generator: model(
          answer('holds = 1, 2'),
          '{"evaluation": "PASS", "score": 9}'
        )
      }
    );
    expect(state.request?.options).toMatchObject({
      workflow: 'self-refine',
      maxAttempts: 4,
      memory: 'all'
    });
  });
});

const passing = () =>
  new FakeExecutor(() => ({
    assertions: [fakeAssertion(), fakeAssertion({ line: 2 })]
  }));
const says = (
  evaluation: string,
  score: number,
  feedback: string[] = [],
  more = {}
) =>
  JSON.stringify({
    evaluation,
    score,
    criteria: {},
    feedback,
    done: false,
    ...more
  });

describe('evaluator-optimizer', () => {
  it('judges with a model of its own, and remembers every attempt', async () => {
    const generator = model(answer('a = 1'), answer('b = 2'), answer('c = 3'));
    const evaluatorModel = model(
      says('NEEDS_IMPROVEMENT', 5, ['Do this.']),
      says('NEEDS_IMPROVEMENT', 6, ['Do that.']),
      says('PASS', 9)
    );
    const { outcome } = await run(
      makeRequest({ options: { workflow: 'evaluator-optimizer' } }),
      { generator, evaluatorModel, executor: passing() }
    );
    expect(outcome).toMatchObject({
      passed: true,
      attempts: 3,
      scoreHistory: [0.5, 0.6, 0.9]
    });
    expect(evaluatorModel.requests).toHaveLength(3);
    const last = generator.requests[2].messages.map(m => m.content).join('\n');
    for (const part of ['a = 1', 'Do this.', 'b = 2', 'Do that.']) {
      expect(last).toContain(part);
    }
  });
});

describe('typed-evaluator', () => {
  it('keeps thoughts and scores the user’s criteria', async () => {
    const generator = model(
      answer('a = 1', 'First a thought.'),
      answer('b = 2')
    );
    const evaluatorModel = model(
      says('NEEDS_IMPROVEMENT', 5, [], { criteria: { speed: 3 } }),
      says('PASS', 9)
    );
    const { outcome } = await run(
      makeRequest({
        options: { workflow: 'typed-evaluator', criteria: ['speed'] }
      }),
      { generator, evaluatorModel, executor: passing() }
    );
    expect(outcome.passed).toBe(true);
    expect(evaluatorModel.requests[0].messages[1].content).toContain('- speed');
    const sent = generator.requests[1].messages.map(m => m.content).join('\n');
    expect(sent).toContain('First a thought.');
    expect(sent).toContain('speed: 3 of 10');
  });
});

describe('self-refine', () => {
  it('is one model in all roles, with three refinements and a list of actions', async () => {
    const judged = says('NEEDS_IMPROVEMENT', 5, ['One.', 'Two.']);
    const generator = model(
      ...['a', 'b', 'c', 'd'].flatMap(x => [answer(`${x} = 1`), judged])
    );
    const evaluatorModel = new FakeModel([says('PASS', 10)]);
    const { outcome } = await run(
      makeRequest({ options: { workflow: 'self-refine' } }),
      { generator, evaluatorModel, executor: passing() }
    );
    expect(outcome).toMatchObject({
      attempts: 4,
      stopReason: 'max-attempts',
      usage: { calls: 8 }
    });
    expect(evaluatorModel.requests).toHaveLength(0);
    expect(JSON.stringify(generator.requests[2])).toContain('- One.\\n- Two.');
  });
});

describe('scored', () => {
  const scripted = (scores: readonly (number | null)[]): IEvaluator => {
    let call = 0;
    return {
      name: 'scorer',
      required: true,
      evaluate: async () => ({
        evaluator: 'scorer',
        evaluation: 'needs-improvement',
        score: scores[Math.min(call++, scores.length - 1)],
        reasons: []
      })
    };
  };
  const play = (
    scores: readonly (number | null)[],
    options: Partial<RefineOptions> = {}
  ) =>
    run(
      makeRequest({
        assertions: [],
        options: { workflow: 'scored', ...options }
      }),
      {
        executor: new FakeExecutor([{}]),
        evaluators: [scripted(scores)],
        generator: new FakeModel([(_, call) => answer(`v${call} = 0`)])
      }
    );
  const half = [0.5, 0.5, 0.5, 0.5];
  const swing = [0.2, 0.6, 0.2, 0.6, 0.2, 0.6, 0.2];

  // What executionkit 0.4.0's refine_loop gives for the same scores; its max_iterations + 1 is maxAttempts.
  it.each([
    ['the target at once', [0.95], { targetScore: 0.9 }, [0.95], 1, true],
    [
      'the target later',
      [0.72, 0.86, 0.91],
      { targetScore: 0.85, maxAttempts: 5, patience: 2 },
      [0.72, 0.86],
      2,
      true
    ],
    [
      'a standstill, patience 3',
      half,
      { targetScore: 0.99, maxAttempts: 11 },
      half,
      1,
      true
    ],
    [
      'a standstill, patience 1',
      half,
      { targetScore: 0.99, patience: 1, maxAttempts: 11 },
      [0.5, 0.5],
      1,
      true
    ],
    [
      'a swinging score',
      swing,
      { targetScore: 0.99, patience: 2, maxAttempts: 7 },
      swing,
      2,
      false
    ],
    [
      'movement by little more than minDelta',
      [0.5, 0.51, 0.52, 0.53],
      { targetScore: 0.99, patience: 2, maxAttempts: 4 },
      [0.5, 0.51, 0.52, 0.53],
      4,
      false
    ],
    [
      'patience that begins anew',
      [0.5, 0.5, 0.8, 0.8, 0.8, 0.8],
      { targetScore: 0.99, maxAttempts: 11 },
      [0.5, 0.5, 0.8, 0.8, 0.8, 0.8],
      3,
      true
    ],
    [
      'a tie',
      [0.5, 0.5],
      { targetScore: 0.99, maxAttempts: 2 },
      [0.5, 0.5],
      1,
      false
    ],
    ['a target of 0', [0], { targetScore: 0 }, [0], 1, true]
  ] as const)(
    'agrees with executionkit on %s',
    async (_, scores, options, history, best, converged) => {
      const { outcome } = await play(scores, options);
      expect(outcome).toMatchObject({
        scoreHistory: history,
        best: { attempt: best },
        converged
      });
    }
  );

  it('differs where that loses the best or calls a standstill at 0 converged', async () => {
    const zero = await play([0, 0, 0, 0]);
    expect(zero.outcome).toMatchObject({
      stopReason: 'patience',
      converged: false
    });
    const spent = await play([0.3], { maxTokens: 800 });
    expect(spent.outcome).toMatchObject({
      stopReason: 'budget',
      best: { attempt: 1, score: 0.3 }
    });
    const unscored = await play([0.3, null, 0.95]);
    expect(unscored.outcome).toMatchObject({
      stopReason: 'target',
      scoreHistory: [0.3, null, 0.95]
    });
  });

  it('asks two models once an attempt, and tells the score alone', async () => {
    const generator = model(answer('a = 1'), answer('b = 2'));
    const evaluatorModel = model('Score: 5/10 - Name things.', '0-10 scale: 9');
    const { outcome } = await run(
      makeRequest({ assertions: [], options: { workflow: 'scored' } }),
      { generator, evaluatorModel, executor: new FakeExecutor([{}]) }
    );
    expect(outcome).toMatchObject({
      passed: true,
      scoreHistory: [0.5, 0.9],
      usage: { calls: 4 }
    });
    const { messages } = generator.requests[1];
    const { content } = messages[messages.length - 1];
    expect(content).toContain('scored 0.50 of 1');
    expect(content).not.toContain('Name things');
  });
});

describe('execution', () => {
  it('is decided by the assertions and what running gave', async () => {
    const generator = model(answer('holds = 1'), answer('holds = 1, 2'));
    const { outcome } = await run(
      makeRequest({ options: { workflow: 'execution' } }),
      { generator }
    );
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions',
      usage: { calls: 2 }
    });
    expect(JSON.stringify(generator.requests[1])).toContain('assert f(2)');
  });
});

it('the score of a metric is told in its own unit', () => {
  const attempt = {
    ...({} as Parameters<typeof buildFeedback>[1]['attempt']),
    failure: null,
    verdict: {
      evaluator: 'scorer',
      evaluation: 'needs-improvement' as const,
      score: null,
      metric: { name: 'RMSE', value: 0.4, goal: 'min' as const },
      reasons: []
    }
  };
  const input = { request: makeRequest(), attempt, earlier: [] };
  expect(buildFeedback(feedbackStrategy('score'), input).text).toBe(
    'The last answer gave RMSE 0.4; less is better. Improve it.'
  );
});
