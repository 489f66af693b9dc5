import { FakeClock } from '../../../../testing/fakeClock';
import { FakeExecutor } from '../../../../testing/fakeExecutor';
import type { Denial, RefineDeps } from '../../../deps';
import type { ExecutionJob } from '../../../domain/executor';
import { makeRequest } from '../../../__tests__/requests';
import {
  answer,
  deps,
  drain,
  model,
  run,
  scored
} from '../../../__tests__/sessions';
import { refine } from '../../../loop';
import { subjectOf, toAllow } from '../../../domain/denied';
import { Steering } from '../../steering';
import { PERMIT_MS } from '../permits';

const reach = 'tried to reach api.example.org:443';
const write = 'tried to write /etc/hosts';

/** Needs what was denied: all holds once the job allows it. */
function needing(...denials: readonly string[]) {
  const jobs: ExecutionJob[] = [];
  const executor = new FakeExecutor(job => {
    jobs.push(job);
    const denied = denials.filter(denial =>
      subjectOf(denial) === 'network' ? !job.allowNetwork : !job.allowWrites
    );
    return denied.length > 0
      ? { ...scored({ ...job, candidate: '' }), denied }
      : scored({ ...job, candidate: 'holds 1 2' });
  });
  return { executor, jobs };
}

function permit(...answers: readonly boolean[]) {
  const asked: Denial[] = [];
  const ask: NonNullable<RefineDeps['permit']> = async denial =>
    answers[asked.push(denial) - 1] ?? false;
  return { asked, ask };
}

describe('a permission', () => {
  it('is waited for, and the same attempt runs again with it', async () => {
    const { executor, jobs } = needing(reach);
    const { asked, ask } = permit(true);
    const { outcome, types, state } = await run(makeRequest({}), {
      generator: model(answer('x = 1')),
      executor,
      permit: ask
    });
    expect(asked).toMatchObject([
      { subject: 'network', attempt: 1, denial: reach }
    ]);
    expect(outcome).toMatchObject({ passed: true, attempts: 1 });
    expect(jobs.map(job => job.allowNetwork)).toEqual([false, true]);
    expect(jobs.map(job => job.candidate)).toEqual(['x = 1', 'x = 1']);
    expect(state.attempts.at(-1)?.execution?.denied).toEqual([]);
    expect(
      types.filter(type => /wait|permission|execution-/.test(type))
    ).toEqual([
      'execution-start',
      'execution-end',
      'wait-start',
      'wait-end',
      'permission',
      'execution-start',
      'execution-end'
    ]);
  });

  it('is asked for once for each subject, and holds for the session', async () => {
    const { executor, jobs } = needing(reach, write);
    const { asked, ask } = permit(true, false);
    const { outcome } = await run(
      makeRequest({ options: { maxAttempts: 2 } }),
      {
        generator: model(answer('x = 1'), answer('x = 2')),
        executor,
        permit: ask
      }
    );
    expect(asked.map(({ subject }) => subject)).toEqual(['network', 'writes']);
    expect(outcome.passed).toBe(false);
    expect(jobs.at(-1)).toMatchObject({
      candidate: 'x = 2',
      allowNetwork: true,
      allowWrites: false
    });
  });

  it('is not asked for where the denial did not hurt, or nobody is there', async () => {
    const { asked, ask } = permit(true);
    await run(makeRequest({}), {
      executor: new FakeExecutor(job => ({
        ...scored({ ...job, candidate: 'holds 1 2' }),
        denied: [reach]
      })),
      permit: ask
    });
    expect(asked).toEqual([]);
    const { executor, jobs } = needing(reach);
    await run(makeRequest({ options: { maxAttempts: 1 } }), { executor });
    expect(jobs).toHaveLength(1);
  });

  it('stays denied when nobody answers in time', async () => {
    const clock = new FakeClock();
    const { executor, jobs } = needing(reach);
    let until = 0;
    let taken = false;
    const ended = drain(
      refine(
        makeRequest({ options: { maxAttempts: 1 } }),
        deps({
          clock,
          executor,
          permit: (denial, signal) => {
            until = denial.until;
            signal.addEventListener('abort', () => {
              taken = true;
            });
            return new Promise(() => undefined);
          }
        })
      )
    );
    await clock.advance(PERMIT_MS - 1);
    expect(taken).toBe(false);
    await clock.advance(1);
    const { events, outcome } = await ended;
    expect(until).toBe(PERMIT_MS);
    expect(taken).toBe(true);
    expect(jobs).toHaveLength(1);
    // A human's time is not the session's.
    expect(outcome.stopReason).toBe('max-attempts');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'permission', granted: false })
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'warning',
        message: 'No answer within 5 minutes. It stays blocked.'
      })
    );
  });

  it('is given afterwards, for the code of an attempt that was denied', async () => {
    const { executor, jobs } = needing(reach);
    const { asked, ask } = permit(false);
    const first = await run(makeRequest({ options: { maxAttempts: 1 } }), {
      generator: model(answer('x = 1')),
      executor,
      permit: ask
    });
    expect(first.outcome.passed).toBe(false);
    const denied = first.state.attempts[0]!;
    expect(toAllow(denied.execution)).toBe('network');

    const steering = new Steering();
    steering.edit({ from: 1, code: denied.code, allow: 'network' });
    const generator = model();
    const { outcome, state, types } = await drain(
      refine(
        makeRequest({ options: { maxAttempts: 1 } }),
        deps({ generator, executor, steering, permit: ask }),
        first.state
      ),
      undefined,
      first.state
    );
    expect(outcome).toMatchObject({ passed: true, best: { attempt: 2 } });
    expect(jobs.map(job => job.allowNetwork)).toEqual([false, true]);
    expect(state.attempts[1]).toMatchObject({
      code: 'x = 1',
      repeatOf: null,
      thoughts: 'The code of attempt 1 again, with network access.'
    });
    expect(state.attempts[1]).not.toHaveProperty('editedFrom');
    expect(types).toContain('permission');
    expect(toAllow(state.attempts[1]!.execution)).toBeNull();
    // Asked once, at the denial; no model was called for it.
    expect(asked).toHaveLength(1);
    expect(generator.requests).toHaveLength(0);
  });

  it('is no answer when the session is stopped', async () => {
    const stop = new AbortController();
    const { executor, jobs } = needing(reach);
    const { outcome } = await run(
      makeRequest({}),
      {
        executor,
        signal: stop.signal,
        permit: () => new Promise(() => undefined)
      },
      event => event.type === 'wait-start' && stop.abort()
    );
    expect(outcome.stopReason).toBe('stopped');
    expect(jobs).toHaveLength(1);
  });
});
