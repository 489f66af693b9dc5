import { FakeExecutor } from '../../testing/fakeExecutor';
import { RefineError } from '../errors';
import type { IExecutor } from '../domain/executor';
import { makeRequest } from './requests';
import { run } from './sessions';

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
