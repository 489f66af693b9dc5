import { FakeExecutor } from '../../../testing/fakeExecutor';
import type { Review, Reviewed } from '../../deps';
import { makeRequest, PROSE } from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';

const options = { evaluators: ['assertions', 'human'] as const };

/** Answers each review with the next decision, and records what was asked. */
function reviewer(...decisions: readonly (string | Reviewed)[]) {
  const asked: Review[] = [];
  const review = async (item: Review): Promise<Reviewed> => {
    const decision = decisions[asked.push(item) - 1];
    return typeof decision === 'string'
      ? { decision: 'reject', hint: decision }
      : decision;
  };
  return { asked, review };
}

const approve: Reviewed = { decision: 'approve' };

function request(parts: Parameters<typeof makeRequest>[0] = {}) {
  return makeRequest({
    ...parts,
    options: {
      ...options,
      evaluators: [...options.evaluators],
      ...parts.options
    }
  });
}

describe('the human', () => {
  it('is asked last, of what all others let pass, and approves', async () => {
    const { asked, review } = reviewer(approve);
    const { outcome, events } = await run(request(), {
      generator: model(answer('holds = 1'), answer('holds = 1, 2')),
      review
    });
    expect(asked).toMatchObject([
      {
        attempt: 2,
        candidate: 'holds = 1, 2',
        verdict: expect.objectContaining({
          evaluator: 'assertions',
          evaluation: 'pass'
        })
      }
    ]);
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions',
      stopReason: 'passed'
    });
    expect(
      events.filter(e => e.type === 'wait-start' || e.type === 'wait-end')
    ).toMatchObject([
      { type: 'wait-start', for: 'human' },
      { type: 'wait-end', for: 'human' }
    ]);
  });

  it('alone makes the pass, of code and of prose', async () => {
    for (const target of [
      { cellId: 't', index: 0, kind: 'code' as const, source: '' },
      PROSE
    ]) {
      const { review, asked } = reviewer('Shorter.', approve);
      const { outcome } = await run(request({ assertions: [], target }), {
        generator: model(answer('a'), answer('b')),
        executor: new FakeExecutor([{}]),
        review
      });
      expect(asked).toHaveLength(2);
      expect(outcome).toMatchObject({
        passed: true,
        checkedBy: 'human',
        stopReason: 'passed'
      });
    }
  });

  it('is not asked of what the cell holds at the start', async () => {
    const { review, asked } = reviewer(approve);
    const passing = await run(request({ source: 'holds = 1, 2' }), { review });
    expect(passing.outcome).toMatchObject({ passed: true, attempts: 0 });
    const unchecked = await run(request({ source: 'a', assertions: [] }), {
      executor: new FakeExecutor([{}]),
      review
    });
    expect(asked.map(({ attempt }) => attempt)).toEqual([1]);
    expect(unchecked.outcome).toMatchObject({ passed: true, attempts: 1 });
  });
});

describe('approveExecution', () => {
  const approveExecution = { approveExecution: true };

  it('denied: the session ends with the best, without a run', async () => {
    const executor = new FakeExecutor(scored);
    const { outcome, state } = await run(
      makeRequest({ options: approveExecution }),
      {
        generator: model(answer('holds = 1'), answer('evil()')),
        executor,
        ask: async (_, __, detail) => detail?.attempt === 1
      }
    );
    expect(executor.jobs.map(job => job.candidate)).toEqual(['holds = 1']);
    expect(outcome).toMatchObject({
      stopReason: 'rejected',
      best: { attempt: 1 }
    });
    expect(state.attempts[1]).toMatchObject({
      failure: {
        code: 'rejected',
        message: 'The session ended before the attempt finished.'
      },
      verdict: { evaluation: 'unknown' }
    });
  });
});
