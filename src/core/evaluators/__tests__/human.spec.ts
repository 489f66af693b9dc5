import {
  fakeAssertion,
  FakeExecutor,
  fakeExecution
} from '../../../testing/fakeExecutor';
import { HumanEvaluator, isRejected } from '../human';
import { makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { verdictOf } from '../../__tests__/states';

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
      session: null as never,
      review: null as never,
      onHint: () => undefined
    });
    expect(
      await evaluator.evaluate(
        {
          request: makeRequest(),
          attempt: 0,
          candidate: 'x = 1',
          execution: fakeExecution()
        },
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
