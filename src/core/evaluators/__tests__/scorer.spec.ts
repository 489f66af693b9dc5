import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import type { Execution, ScorerResult } from '../../domain/execution';
import type { RefineEvent } from '../../events/events';
import type { ExecutionJob } from '../../domain/executor';
import {
  makeRequest,
  PROSE,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

const scorer = {
  cellId: 'scorer',
  index: 3,
  source: 'goal = "min"\ndef score(ns): …'
};

/** Measures the number in `rmse = 4.5`; both assertions hold unless it says `wrong`. */
function measured(job: ExecutionJob, parts: Partial<ScorerResult> = {}) {
  const holds = !job.candidate.includes('wrong');
  const value = Number(/rmse = ([\d.]+)/.exec(job.candidate)?.[1] ?? NaN);
  return {
    assertions: [1, 2].map(line =>
      fakeAssertion({
        line,
        outcome: line === 1 || holds ? 'passed' : 'failed'
      })
    ),
    ...(holds && job.scorer
      ? {
          scored: {
            value: Number.isFinite(value) ? value : null,
            goal: 'min' as const,
            name: 'rmse',
            unit: 'kWh',
            ...parts
          }
        }
      : {})
  } satisfies Partial<Execution>;
}

const answers = (...values: readonly (number | string)[]) =>
  model(
    ...values.map(value =>
      answer(typeof value === 'number' ? `rmse = ${value}` : value)
    )
  );

function session(
  parts: RequestParts,
  generator = answers(5, 4, 3, 2),
  execute = (job: ExecutionJob): Partial<Execution> => measured(job)
) {
  const executor = new FakeExecutor(execute);
  return run(makeRequest({ scorer, ...parts }), { generator, executor }).then(
    ended => ({ ...ended, generator, executor })
  );
}

function feedbackOf(events: readonly RefineEvent[]) {
  return events.filter(e => e.type === 'feedback-end').map(e => e.text);
}

describe('without a target', () => {
  it('continues to the limit after a pass, and keeps the best', async () => {
    const { outcome, state } = await session(
      { options: { maxAttempts: 4 } },
      answers(5, 3, 4, 6)
    );
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions',
      stopReason: 'max-attempts',
      scoreHistory: [5, 3, 4, 6],
      best: {
        attempt: 2,
        passed: 2,
        total: 2,
        metric: { name: 'rmse', value: 3, goal: 'min', unit: 'kWh' }
      }
    });
    expect(state.attempts[3].verdict?.evaluation).toBe('pass');
  });

  it('asks nobody whether to go on with a cell that passes', async () => {
    const { outcome, generator } = await session(
      { source: 'rmse = 9', options: { maxAttempts: 1 } },
      answers(7)
    );
    expect(generator.requests).toHaveLength(1);
    expect(outcome).toMatchObject({
      passed: true,
      best: { attempt: 1 },
      scoreHistory: [9, 7]
    });
    const { messages } = generator.requests[0];
    expect(messages[1].content).toContain('rmse is 9 kWh; less is better.');
  });

  it('nothing passes by a value without a target', async () => {
    const { outcome } = await session(
      {
        assertions: [],
        options: { maxAttempts: 2 }
      },
      answers(5, 4),
      job => ({ ...measured(job), assertions: [] })
    );
    expect(outcome).toMatchObject({
      passed: false,
      checkedBy: 'scorer',
      stopReason: 'max-attempts',
      attempts: 2,
      best: { attempt: 2, evaluation: 'needs-improvement' }
    });
  });
});

describe('with a target', () => {
  it('a value that reaches it passes; others report both', async () => {
    const { outcome, events } = await session({ options: { targetScore: 4 } });
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions',
      stopReason: 'passed',
      attempts: 2,
      scoreHistory: [5, 4]
    });
    expect(feedbackOf(events)).toEqual([
      'The scorer says:\n- rmse is 5 kWh; less is better.\n- The target is 4 kWh.'
    ]);
  });

  it('a judge’s score never reaches it', async () => {
    const { outcome } = await session(
      {
        options: {
          targetScore: 0.5,
          evaluators: ['assertions', 'scorer', 'judge'],
          maxAttempts: 1
        }
      },
      model(answer('rmse = 0.4'), '{"score": 9, "feedback": ["More."]}')
    );
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'max-attempts'
    });
  });
});

it('reports the scorer’s comment', async () => {
  const { events, generator } = await session(
    { options: { maxAttempts: 3 } },
    answers(5, 6.123456789, 7),
    job => measured(job, { comment: 'July is far off.' })
  );
  expect(feedbackOf(events)[1]).toBe(
    'The scorer says:\n- rmse is 6.12346 kWh; less is better.\n- July is far off.'
  );
  expect(JSON.stringify(generator.requests[2].messages)).toContain(
    'July is far off.'
  );
});

it('reports only the value of attempts without room', async () => {
  const { generator } = await session(
    { options: { maxAttempts: 4 } },
    answers(3, 5, 6, 7)
  );
  const last = generator.requests[3].messages.at(-1)?.content;
  expect(last).toContain(
    'Other attempts so far:\n- attempt 2: 2 of 2: rmse 5 kWh: I try this'
  );
});

it('the feedback that is the score alone contains the metric', async () => {
  const { events } = await session(
    { options: { maxAttempts: 2, feedback: 'score', targetScore: 1 } },
    answers(5, 4)
  );
  expect(feedbackOf(events)[1]).toBe(
    'The last answer: rmse is 4 kWh; less is better. The target is 1 kWh. Improve it.'
  );
});

describe('a scorer without a value', () => {
  const raising = (job: ExecutionJob) =>
    measured(
      job,
      job.candidate.includes('raise')
        ? {
            value: null,
            error: {
              name: 'ValueError',
              message: 'hidden truth 12345',
              traceback: 'hidden truth 12345'
            }
          }
        : {}
    );

  it('is reported, and is neither the worst nor the best', async () => {
    const { outcome, state, generator } = await session(
      { options: { maxAttempts: 3 } },
      answers(5, 'raise', 6),
      raising
    );
    expect(outcome).toMatchObject({
      scoreHistory: [5, null, 6],
      best: { attempt: 1 }
    });
    expect(state.warnings).toContainEqual({
      attempt: 2,
      message: 'The scorer raised ValueError.'
    });
    const sent = JSON.stringify(generator.requests[2].messages);
    expect(sent).toContain('The scorer raised ValueError.');
    expect(sent).not.toContain('12345');
  });
});

it('prose is measured by its scorer, and nothing runs but that', async () => {
  const { outcome, executor } = await session(
    {
      target: PROSE,
      assertions: [],
      options: { targetScore: 20 }
    },
    model('A much too long text, of many words.', 'Short.'),
    job => ({
      scored: { value: job.candidate.length, goal: 'min', name: 'length' }
    })
  );
  expect(executor.jobs.map(job => job.candidate)).toEqual([
    'response = "A much too long text, of many words."',
    'response = "Short."'
  ]);
  expect(outcome).toMatchObject({
    passed: true,
    checkedBy: 'scorer',
    best: { candidate: 'Short.' }
  });
});

it('the preset `scored` drops its numbers and its judge', async () => {
  const { outcome, state } = await session(
    { options: { workflow: 'scored' } },
    answers(0.5, 0.4, 0.3, 0.2, 0.1)
  );
  expect(state.request?.options).toMatchObject({
    evaluators: ['assertions'],
    targetScore: null,
    patience: 3
  });
  expect(outcome).toMatchObject({ stopReason: 'max-attempts', attempts: 5 });
});

it('asked for without a cell is reported', async () => {
  const { state, outcome } = await run(
    makeRequest({ options: { evaluators: ['assertions', 'scorer'] } }),
    { generator: model(answer('holds = 1, 2')) }
  );
  expect(outcome.passed).toBe(true);
  expect(state.warnings[0].message).toContain('refine-scorer');
});
