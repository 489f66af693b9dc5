import { FakeExecutor } from '../../../testing/fakeExecutor';
import type { Review, Reviewed } from '../../deps';
import { makeRequest } from '../../__tests__/requests';
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

  it('who rejects with a hint has it in the next prompt once', async () => {
    const { review } = reviewer('Use a generator.', approve);
    const generator = model(
      answer('holds = 1, 2'),
      answer('again = 1, 2; holds = 1, 2')
    );
    const { outcome, events } = await run(request(), { generator, review });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'hint', text: 'Use a generator.' })
    );
    const sent = generator.requests[1].messages.map(m => m.content).join();
    expect(sent.split('Use a generator.')).toHaveLength(2);
    expect(outcome).toMatchObject({ passed: true, best: { attempt: 2 } });
  });

  it('who rejects without a hint ends the session with the best', async () => {
    const { review } = reviewer('More.', ' ');
    const { outcome, state } = await run(request(), {
      generator: model(answer('holds = 1, 2'), answer('b; holds = 1, 2')),
      review
    });
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'rejected',
      attempts: 2,
      best: { attempt: 1, passed: 2 }
    });
    expect(state.attempts[1]).toMatchObject({
      failure: null,
      verdict: { evaluation: 'fail' }
    });
  });

  it('alone makes the pass, of code and of prose', async () => {
    for (const target of [
      { cellId: 't', index: 0, kind: 'code' as const, source: '' },
      { cellId: 't', index: 0, kind: 'markdown' as const, source: '' }
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

  it('whom nobody can ask is named before a model is called', async () => {
    const generator = model(answer('holds = 1, 2'));
    const { outcome } = await run(request(), { generator });
    expect(generator.requests).toHaveLength(0);
    expect(outcome).toMatchObject({
      stopReason: 'rejected',
      error: {
        kind: 'config',
        code: 'bad-option',
        message: expect.stringContaining('evaluators setting includes human')
      }
    });
  });
});

describe('approveExecution', () => {
  const approveExecution = { approveExecution: true };

  it('asks before each candidate of the model, with its code', async () => {
    const asked: unknown[] = [];
    const executor = new FakeExecutor(scored);
    const { outcome, events } = await run(
      makeRequest({ source: 'holds = 0', options: approveExecution }),
      {
        generator: model(answer('holds = 1'), answer('holds = 1, 2')),
        executor,
        ask: async (subject, _, detail) => {
          asked.push([subject, detail, executor.jobs.length]);
          return true;
        }
      }
    );
    expect(asked).toEqual([
      ['execute', { attempt: 1, code: 'holds = 1' }, 1],
      ['execute', { attempt: 2, code: 'holds = 1, 2' }, 2]
    ]);
    expect(outcome.passed).toBe(true);
    expect(events.filter(e => e.type === 'permission')).toMatchObject([
      { subject: 'execute', granted: true },
      { subject: 'execute', granted: true }
    ]);
  });

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
        message: 'Rejected before the attempt finished.'
      },
      verdict: { evaluation: 'unknown' }
    });
  });

  it('denied with a hint: it is not run, and the next prompt has the hint', async () => {
    const executor = new FakeExecutor(scored);
    const generator = model(answer('evil()'), answer('holds = 1, 2'));
    const { outcome, state } = await run(
      makeRequest({ options: approveExecution }),
      {
        generator,
        executor,
        ask: async (_, __, detail) =>
          detail?.attempt === 1 ? { hint: 'delete nothing' } : true
      }
    );
    expect(executor.jobs.map(job => job.candidate)).toEqual(['holds = 1, 2']);
    expect(state.attempts[0]).toMatchObject({
      code: 'evil()',
      best: false,
      failure: { code: 'declined', message: 'Not run: you declined it.' }
    });
    expect(outcome).toMatchObject({ passed: true, best: { attempt: 2 } });
    const sent = JSON.stringify(generator.requests[1]!.messages);
    expect(sent).toContain('did not let it run');
    expect(sent).toContain('delete nothing');
  });

  it('without anybody to ask is named before a model is called', async () => {
    const generator = model(answer('holds = 1, 2'));
    const { outcome } = await run(makeRequest({ options: approveExecution }), {
      generator
    });
    expect(generator.requests).toHaveLength(0);
    expect(outcome.error?.message).toContain('approveExecution');
  });
});
