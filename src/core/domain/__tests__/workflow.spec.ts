import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { buildFeedback, feedbackStrategy } from '../../feedback/feedback';
import type { RefineOptions } from '../../options';
import { settingsSchema } from '../../settings';
import { withWorkflow } from '../workflow';
import { visibleAttempt, visibleRequest } from '../visible';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { attemptOf, verdictOf } from '../../__tests__/states';

const defaults = settingsSchema.parse({});
const workflows = settingsSchema.shape.workflow.unwrap().options;

describe('a preset', () => {
  it.each(workflows)(
    '%s replaces defaults only, and is idempotent',
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
      patience: 1
    };
    expect(withWorkflow(chosen)).toMatchObject({
      patience: 1,
      targetScore: 0.9
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
    expect(evaluatorModel.requests[0].messages[1].content).toContain(
      '- correctness\n- complexity\n- style'
    );
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
  it('is one model in all roles, with three refinements', async () => {
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
      usage: { calls: 8 },
      // All are judged alike: the last refinement is the result.
      best: { attempt: 4, candidate: 'd = 1' }
    });
    expect(evaluatorModel.requests).toHaveLength(0);
    expect(JSON.stringify(generator.requests[2])).toContain('- One.\\n- Two.');
  });
});

describe('scored', () => {
  it('asks two models once an attempt, and sends only the score', async () => {
    const generator = model(answer('a = 1'), answer('b = 2'));
    const evaluatorModel = model(
      '{"score": 5, "feedback": ["Name things."]}',
      '{"score": 9}'
    );
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

describe('scored, with attempts to spare', () => {
  const played = async (judgements: readonly string[], options = {}) => {
    const generator = new FakeModel(
      Array.from({ length: 9 }, (_, i) => answer(`a${i} = 1`))
    );
    const evaluatorModel = model(...judgements);
    const { outcome } = await run(
      makeRequest({
        assertions: [],
        options: { workflow: 'scored', maxAttempts: 9, ...options }
      }),
      { generator, evaluatorModel, executor: new FakeExecutor([{}]) }
    );
    return {
      outcome,
      calls: [generator, evaluatorModel].map(m => m.requests.length)
    };
  };
  const score = (value: number) => says('NEEDS_IMPROVEMENT', value);

  it('ends after three attempts without progress, with the best', async () => {
    const { outcome, calls } = await played(
      [3, 6, 6.05, 6.1, 6.08, 9].map(score)
    );
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'patience',
      scoreHistory: [0.3, 0.6, 0.605, 0.61, 0.608],
      best: { attempt: 4, score: 0.61 }
    });
    expect(calls).toEqual([5, 5]);
  });

  it('ends at its target, whether or not the judge calls it a pass', async () => {
    const { outcome, calls } = await played([score(3), score(9.5)]);
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'target',
      best: { attempt: 2, score: 0.95 }
    });
    expect(calls).toEqual([2, 2]);
  });
});

it('the score of a metric is reported in its own unit', () => {
  const attempt = visibleAttempt(
    attemptOf(1, {
      verdict: verdictOf({
        metric: { name: 'RMSE', value: 0.4, goal: 'min' }
      })
    })
  );
  const input = {
    request: visibleRequest(makeRequest()),
    attempt: { ...attempt, verdicts: [] },
    earlier: []
  };
  expect(buildFeedback(feedbackStrategy('score'), input).text).toBe(
    'The last answer gave RMSE 0.4; less is better. Improve it.'
  );
});
