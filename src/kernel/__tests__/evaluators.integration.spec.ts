/** @jest-environment node */
import type { Kernel } from '@jupyterlab/services';
import type { ExecutionJob } from '../../core/domain/executor';
import { makeRequest } from '../../core/__tests__/requests';
import { run as session } from '../../core/__tests__/sessions';
import { FakeModel } from '../../testing/fakeModel';
import { createExecutor } from '../create';
import { job, runCell } from './jobs';
import { JupyterServer } from './jupyterServer';

jest.setTimeout(60_000);

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;

beforeAll(async () => {
  server = await JupyterServer.start();
  kernel = await server.startKernel();
  await runCell(kernel, 'truth = [1.0, 2.0, 4.0]');
});

afterAll(() => server.stop());

const never = () => new AbortController().signal;

const run = async (
  fields: Partial<ExecutionJob>,
  candidate = 'x = 2',
  isolation: 'fork' | 'live' = 'fork'
) => {
  const executor = await createExecutor(kernel, {
    isolation,
    allowLive: () => Promise.resolve(false)
  });
  try {
    const asked = { ...job(candidate, 'assert x'), ...fields };
    return await executor.run(asked, () => undefined, never());
  } finally {
    executor.dispose();
  }
};

const scorer = (source: string) => ({
  scorer: { cellId: 's', index: 3, source }
});

describe('a scorer in a fork of a real kernel', () => {
  it.each(['fork', 'sidecar'] as const)(
    'ends a session when it can measure nothing (%s)',
    async isolation => {
      const executor = await createExecutor(kernel, {
        isolation,
        allowLive: () => Promise.resolve(false)
      });
      const generator = new FakeModel([
        '```python\ndef fibonacci(n):\n    return 55 if n > 1 else 1\n```'
      ]);
      const { outcome } = await session(
        makeRequest({
          ...scorer('def score(ns): return ns["predict"](nowhere)'),
          hiddenData: ['nowhere'],
          options: { maxAttempts: 2 }
        }),
        { executor, generator }
      );
      executor.dispose();
      expect(generator.requests).toHaveLength(1);
      expect(outcome.error).toMatchObject({ code: 'scorer-broken' });
      expect(outcome.error?.message).toContain(
        'The scorer failed: nowhere is not there'
      );
    }
  );
});

describe('in the live kernel', () => {
  it('static checks prevent the run', async () => {
    const source = 'seen_live = 1\ny = missing';
    const gated = await run({ static: 'gate' }, source, 'live');
    expect(gated).toMatchObject({
      status: 'error',
      error: { name: 'StaticError', candidateLine: 2 },
      findings: [{ severity: 'error' }],
      assertions: [{ outcome: 'not-run' }]
    });
    expect(await runCell(kernel, 'print("seen_live" in dir())')).toBe('False');
    const fine = await run({ static: 'gate' }, 'x = 2', 'live');
    expect(fine).toMatchObject({ status: 'completed', findings: [] });
  });

  it('nothing is scored or hidden, and that is reported', async () => {
    const fields = {
      ...scorer('def score(ns): return 1'),
      hiddenData: ['truth']
    };
    const execution = await run(fields, 'x = 2', 'live');
    expect(execution.scored).toMatchObject({
      value: null,
      error: { name: 'ScorerError' }
    });
    expect(execution.warnings).toContain(
      'truth is not hidden: attempts run in your kernel itself here.'
    );
    expect((await run(fields, 'x = 0', 'live')).scored).toBeUndefined();
  });
});
