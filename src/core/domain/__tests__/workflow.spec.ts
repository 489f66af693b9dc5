import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { settingsSchema, type RefineOptions } from '../../settings';
import { withWorkflow } from '../workflow';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

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

it('evaluator-optimizer judges with a model of its own, and remembers every attempt', async () => {
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

it('typed-evaluator keeps thoughts and scores the user’s criteria', async () => {
  const generator = model(answer('a = 1', 'First a thought.'), answer('b = 2'));
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

it('self-refine is one model in all roles, with three refinements', async () => {
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

it('scored asks two models once an attempt, and sends only the score', async () => {
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
