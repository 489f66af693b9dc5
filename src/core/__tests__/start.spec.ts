import { FakeExecutor } from '../../testing/fakeExecutor';
import { RefineError } from '../errors';
import type { IExecutor } from '../domain/executor';
import type { RefineOptions } from '../options';
import { makeRequest } from './requests';
import { answer, model, run } from './sessions';

const scorer = {
  cellId: 'score',
  index: 3,
  role: 'scorer' as const,
  source: 'def score(ns): return 1.0',
  statements: 1
};

async function warnings(
  options: Partial<RefineOptions>,
  parts: Parameters<typeof makeRequest>[0] = {}
): Promise<readonly string[]> {
  const request = makeRequest({
    ...parts,
    options: { maxAttempts: 1, ...options }
  });
  const { events } = await run(request, {
    generator: model(answer('holds = 1, 2'))
  });
  return events.flatMap(event =>
    event.type === 'warning' && event.message.includes('targetScore')
      ? [event.message]
      : []
  );
}

describe('a target that no score reaches', () => {
  it('is reported with the way out', async () => {
    expect(await warnings({ targetScore: 1.5 })).toEqual([
      'targetScore is 1.5, but a score is never above 1: only a pass, patience or a limit ends the session. Set targetScore to a number from 0 to 1, or add a scorer whose metric it is meant for.'
    ]);
  });

  it.each([null, 0.5, 1])('is not %p', async targetScore => {
    expect(await warnings({ targetScore })).toEqual([]);
  });

  it('is one that a scorer may reach', async () => {
    expect(await warnings({ targetScore: 1.5 }, { scorer })).toEqual([]);
    expect(
      await warnings({
        targetScore: 1.5,
        evaluators: ['assertions', 'scorer']
      })
    ).toEqual([]);
  });
});

describe('a kernel that cannot be prepared', () => {
  async function started(error: Error, controller = new AbortController()) {
    const executor: IExecutor = new FakeExecutor([]);
    executor.prepare = () => {
      if (error.message === 'stopped') {
        controller.abort();
      }
      return Promise.reject(error);
    };
    return run(makeRequest(), { executor, signal: controller.signal });
  }

  it('starts the session with the reason, and ends it', async () => {
    const { events, outcome } = await started(new Error('no such kernel'));
    expect(events[0]).toMatchObject({
      type: 'session-start',
      model: { profile: expect.any(String) },
      isolation: {
        mode: 'live',
        memory: false,
        files: 'open',
        network: false,
        reasons: ['no such kernel']
      }
    });
    expect(outcome).toMatchObject({
      stopReason: 'kernel-died',
      error: { code: 'other', kind: 'kernel', message: 'no such kernel' }
    });
  });

  it('is reported as restarted when it was', async () => {
    const { outcome } = await started(
      new RefineError('kernel', 'It was restarted.', {
        code: 'kernel-restarted'
      })
    );
    expect(outcome).toMatchObject({
      stopReason: 'kernel-restarted',
      error: { code: 'kernel-restarted', message: 'It was restarted.' }
    });
  });
});
