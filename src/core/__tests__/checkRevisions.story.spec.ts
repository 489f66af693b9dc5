import { FakeExecutor, fakeAssertion } from '../../testing/fakeExecutor';
import type { RequestChecks } from '../domain/request';
import { eventSchema } from '../events/schema';
import { check } from '../loop';
import { checkCell, makeRequest, type RequestParts } from './requests';
import { answer, deps, drain, model, run } from './sessions';

const ONE = [checkCell('assert a', 1)];
const TWO = [checkCell('assert a', 1), checkCell('assert b', 1, 'holdout')];

/** Every check that the candidate names holds: `assert a` for `a = 1`. */
function executor() {
  return new FakeExecutor(job => ({
    assertions: [...job.assertions, ...job.holdouts].map((cell, i) =>
      fakeAssertion({
        line: i + 1,
        role: cell.role,
        source: cell.source,
        outcome: job.candidate.includes(cell.source.replace('assert ', ''))
          ? 'passed'
          : 'failed'
      })
    )
  }));
}

/** A session whose checks become others once `when` returns true. */
function edited(
  when: (runs: number) => boolean,
  answers: readonly string[],
  parts: RequestParts = {},
  after: Partial<RequestChecks> = { holdouts: [TWO[1]!] }
) {
  const runs = executor();
  const request = makeRequest({ assertions: ONE, ...parts });
  const session = run(request, {
    generator: model(...answers.map(code => answer(code))),
    executor: runs,
    checksNow: () =>
      when(runs.jobs.length) ? { ...request, ...after } : request
  });
  return { runs, session };
}

describe('checks that are edited during a session', () => {
  it('count before a pass does, also for the same candidate', async () => {
    const { runs, session } = edited(n => n > 0, ['a = 1', 'a = b = 1']);
    const { outcome, state, events } = await session;
    expect(outcome).toMatchObject({ passed: true, attempts: 2 });
    expect(runs.jobs.map(job => [job.candidate, job.holdouts.length])).toEqual([
      ['a = 1', 0],
      ['a = 1', 1],
      ['a = b = 1', 1]
    ]);
    expect(new Set(runs.jobs.map(job => job.id)).size).toBe(3);
    expect(state.request?.holdouts).toHaveLength(1);
    expect(state.warnings.map(w => w.message)).toEqual([
      'The checks were edited during the session. The new ones count from attempt 1 on.'
    ]);
    events.forEach(event =>
      expect(() => eventSchema.parse(event)).not.toThrow()
    );
  });

  it('are in the next prompt', async () => {
    const generator = model(answer('c = 1'), answer('a = b = 1'));
    const runs = executor();
    const request = makeRequest({ assertions: ONE });
    await run(request, {
      generator,
      executor: runs,
      checksNow: () =>
        generator.requests.length > 0
          ? { ...request, assertions: [checkCell('assert b', 1)] }
          : request
    });
    expect(JSON.stringify(generator.requests[1])).toContain('assert b');
    expect(JSON.stringify(generator.requests[1])).not.toContain('assert a');
  });

  it('let an answer that repeats an earlier one run again', async () => {
    const { runs, session } = edited(
      n => n > 1,
      ['b = 1', 'c = 1', 'b = 1'],
      {},
      { assertions: [checkCell('assert b', 1)] }
    );
    const { outcome, types } = await session;
    expect(types).not.toContain('repeat');
    expect(outcome.passed).toBe(true);
    expect(runs.jobs.length).toBeGreaterThan(2);
  });

  it('make an attempt count that nothing checked before', async () => {
    const { session } = edited(
      n => n > 0,
      ['a = 1'],
      { assertions: [] },
      { assertions: ONE }
    );
    expect((await session).outcome).toMatchObject({
      passed: true,
      checkedBy: 'assertions'
    });
  });

  it('void what the cell passed at the start', async () => {
    const runs = executor();
    const request = makeRequest({ assertions: ONE, source: 'a = 1' });
    const { outcome, state } = await drain(
      check(request, {
        ...deps(),
        executor: runs,
        checksNow: () =>
          runs.jobs.length > 0 ? { ...request, holdouts: [TWO[1]!] } : request
      })
    );
    expect(outcome.passed).toBe(false);
    expect(state.warnings[0]?.message).toMatch(/while the current code/);
  });

  it('take away the pass of an open-ended session', async () => {
    const scorer = { cellId: 's', index: 3, source: 'def score(ns): ...' };
    const value = (candidate: string) => Number(/\d+/.exec(candidate)?.[0]);
    const runs = new FakeExecutor(job => ({
      assertions: job.assertions.map(cell =>
        fakeAssertion({
          source: cell.source,
          outcome: job.candidate.includes(cell.source.slice(7))
            ? 'passed'
            : 'failed'
        })
      ),
      scored: {
        name: 'score',
        value: value(job.candidate),
        goal: 'max',
        confirmed: true
      }
    }));
    const request = makeRequest({
      assertions: ONE,
      scorer,
      options: { maxAttempts: 2 }
    });
    const generator = model(answer('a = 9'), answer('b = 5'));
    const { outcome, state } = await run(request, {
      generator,
      executor: runs,
      checksNow: () =>
        generator.requests.length > 1
          ? { ...request, assertions: [checkCell('assert b', 1)] }
          : request
    });
    expect(state.attempts.map(a => a.verdict?.evaluation)).toEqual([
      'unknown',
      'pass'
    ]);
    expect(outcome).toMatchObject({ passed: true, best: { attempt: 2 } });
  });

  it('are waited for while somebody edits them', async () => {
    const request = makeRequest({ assertions: ONE });
    let asked = 0;
    const { outcome, events } = await run(request, {
      generator: model(answer('a = 1')),
      executor: executor(),
      checksNow: () => (asked++ === 0 ? Promise.resolve(request) : request)
    });
    expect(outcome.passed).toBe(true);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'wait-start', for: 'edit' })
    );
  });
});
