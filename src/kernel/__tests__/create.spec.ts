/** @jest-environment node */
import type { IExecutor } from '../../core/domain/executor';
import { RefineError } from '../../core/errors';
import {
  probeIsolation,
  createExecutor,
  type ExecutorOptions
} from '../create';
import { FallbackExecutor } from '../fallbackExecutor';
import { ForkExecutor } from '../fork/forkExecutor';
import { KERNEL_VERSION } from '../kernelSource';
import { LiveExecutor } from '../live/liveExecutor';

import { FakeKernel, type Sent } from './fakeKernel';

const hello = (mode: string, reasons: readonly string[] = []) => ({
  version: KERNEL_VERSION,
  python: '3.12.1',
  platform: 'linux',
  isolation: { mode, memory: true, files: 'open', network: false, reasons },
  control: true,
  pid: 1
});

function start(answer: (sent: Sent) => void, language = 'python') {
  const kernel = new FakeKernel();
  kernel.language = language;
  kernel.onSend = answer;
  const asked: string[][] = [];
  const create = (
    isolation: ExecutorOptions['isolation'],
    allow = true,
    more: Partial<ExecutorOptions> = {}
  ) =>
    createExecutor(kernel.connection, {
      isolation,
      allowLive: reasons => {
        asked.push([...reasons]);
        return Promise.resolve(allow);
      },
      ...more
    });
  return { kernel, create, asked };
}

const forkable = (sent: Sent) => sent.answer(hello('fork'));
const notForkable = (sent: Sent) =>
  sent.answer(hello('live', ['There is no fork on Windows.']));

const OPEN = {
  mode: 'sidecar',
  memory: true,
  files: 'open',
  network: false,
  reasons: ['Files are open.']
};
/** A kernel that starts processes for attempts. */
const separate = (sent: Sent) =>
  sent.answer({
    ...hello('sidecar', ['There is no fork on Windows.']),
    sidecar: OPEN
  });

describe('createExecutor', () => {
  it('forks where it can, and asks nobody', async () => {
    const { create, asked } = start(forkable);
    expect(await create('auto')).toBeInstanceOf(FallbackExecutor);
    expect(await create('fork')).toBeInstanceOf(ForkExecutor);
    expect(asked).toEqual([]);
  });

  it('asks with the reasons before it runs live', async () => {
    const { create, asked } = start(notForkable);
    const executor = await create('auto');
    expect(executor).toBeInstanceOf(LiveExecutor);
    expect(asked).toEqual([['There is no fork on Windows.']]);
    expect(await executor.prepare(new AbortController().signal)).toMatchObject({
      mode: 'live',
      memory: false,
      files: 'open',
      reasons: ['There is no fork on Windows.']
    });
  });

  it('says that the kernel was restarted meanwhile', async () => {
    const { create, asked } = start(sent => {
      if (sent.request.op === 'install') {
        const r = { status: 'ok' };
        sent.reply({ status: 'ok', user_expressions: { r } });
      } else {
        sent.raise('KeyError', "'_jupyterlab_refine'");
      }
    });
    await expect(create('auto')).rejects.toMatchObject({
      code: 'kernel-restarted'
    });
    expect(asked).toEqual([]);
  });

  it('runs nothing when live is not allowed', async () => {
    const { create } = start(notForkable);
    await expect(create('auto', false)).rejects.toMatchObject({
      kind: 'kernel',
      message: expect.stringContaining('was not allowed')
    });
  });

  it('names reasons and way out when a demanded fork fails', async () => {
    const { create, asked } = start(notForkable);
    await expect(create('fork')).rejects.toMatchObject({
      kind: 'kernel',
      message: expect.stringMatching(
        /no fork on Windows\. Set “isolation” to “auto”, “sidecar” or “live”/
      )
    });
    expect(asked).toEqual([]);
  });

  it('sends other languages nothing, and says why they run live', async () => {
    const { create, asked, kernel } = start(() => undefined, 'R');
    expect(await create('auto')).toBeInstanceOf(LiveExecutor);
    expect(asked[0][0]).toBe(
      'Attempts can be isolated in Python kernels only; this one runs R.'
    );
    expect(kernel.sent).toHaveLength(0);
  });

  it('runs live, if allowed, in a Python without the kernel part', async () => {
    const { create, asked } = start(sent =>
      sent.raise('SyntaxError', 'invalid syntax')
    );
    expect(await create('auto')).toBeInstanceOf(LiveExecutor);
    expect(asked[0][0]).toContain('SyntaxError: invalid syntax');
  });

  it('runs live unasked when the user chose so', async () => {
    const { create, asked } = start(forkable);
    expect(await create('live')).toBeInstanceOf(LiveExecutor);
    expect(asked).toEqual([]);
  });

  it('reports what it waits for, and ends with the signal', async () => {
    const { create, kernel } = start(() => undefined);
    kernel.foreign('u1').busy(4);
    const stop = new AbortController();
    const reasons: (string | null)[] = [];
    kernel.status = 'busy';
    const creating = create('auto', true, {
      signal: stop.signal,
      onWaiting: reason => reasons.push(reason)
    }).catch(e => e);
    await new Promise(done => setTimeout(done, 300));
    stop.abort(new Error('enough'));
    expect(await creating).toEqual(new Error('enough'));
    expect(reasons).toEqual(['waiting for the kernel: a cell is running']);
  });

  it('runs in a second kernel before it asks for the live one', async () => {
    const { create, asked, kernel } = start(sent =>
      sent.request.op === 'attempt'
        ? sent.answer({
            state: 'refused',
            code: 'cannot-copy',
            message: 'conn cannot be copied.'
          })
        : separate(sent)
    );
    const executor = await create('auto', false);
    const signal = new AbortController().signal;
    expect(await executor.prepare(signal)).toMatchObject({
      mode: 'sidecar',
      reasons: ['There is no fork on Windows.', 'Files are open.']
    });
    expect(asked).toEqual([]);
    const execution = executor.run(job, () => undefined, signal);
    await expect(execution).rejects.toThrow('conn cannot be copied.');
    const { job: sent } = kernel.sent.find(one => one.request.op === 'attempt')!
      .request as { job: object };
    expect(sent).toMatchObject({ sidecar: true });
    expect(asked).toEqual([
      ['There is no fork on Windows.', 'conn cannot be copied.']
    ]);
  });

  it('runs in a second kernel alone where the user chose so', async () => {
    const { create, asked } = start(separate);
    const executor = await create('sidecar');
    expect(await executor.prepare(new AbortController().signal)).toMatchObject({
      mode: 'sidecar',
      reasons: ['The setting “isolation” is “sidecar”.', 'Files are open.']
    });
    expect(asked).toEqual([]);
  });

  it('refuses a dead kernel', async () => {
    const { create, kernel } = start(forkable);
    kernel.setStatus('dead');
    await expect(create('auto')).rejects.toMatchObject({ code: 'kernel-dead' });
  });
});

const job = {
  id: 'a1',
  candidate: 'x = 1',
  assertions: [],
  holdouts: [],
  limits: { seconds: 5 },
  contextValues: 'types',
  allowNetwork: false,
  allowWrites: false
} as const;

describe('FallbackExecutor', () => {
  /** A kernel that could be forked at first. */
  const losing = (sent: Sent) => {
    if (sent.content.code !== '') {
      sent.busy(1).reply({ status: 'ok' }).idle();
    } else if (sent.request.op === 'attempt') {
      sent.answer({
        state: 'refused',
        code: 'polars',
        message: 'Polars has started its threads.'
      });
    } else if (sent.request.op === 'live-checks') {
      sent.answer({ checks: [] });
    } else {
      sent.answer(hello('fork'));
    }
  };

  it('asks once when forks become impossible, then stays live', async () => {
    const { create, asked } = start(losing);
    const executor = await create('auto');
    const run = () =>
      executor.run(job, () => undefined, new AbortController().signal);
    expect((await run()).isolation).toMatchObject({
      mode: 'live',
      reasons: ['Polars has started its threads.']
    });
    await run();
    expect(asked).toEqual([['Polars has started its threads.']]);
  });

  it('makes no executor after it was disposed', async () => {
    const refused = new RefineError('kernel', 'No fork.', {
      code: 'kernel-refused'
    });
    let allow = (_: boolean) => {};
    const make = jest.fn();
    const first = {
      prepare: () => Promise.reject(refused),
      dispose: () => undefined
    } as unknown as IExecutor & { dispose(): void; isDisposed: boolean };
    const executor = new FallbackExecutor([
      { make: () => first },
      {
        make,
        allow: () =>
          new Promise<boolean>(resolve => {
            allow = resolve;
          })
      }
    ]);
    const prepared = executor.prepare(new AbortController().signal);
    await new Promise(done => setTimeout(done));
    executor.dispose();
    allow(true);
    await expect(prepared).rejects.toBe(refused);
    expect(make).not.toHaveBeenCalled();
  });
});

describe('a fork that fails before the candidate begins', () => {
  const failing = (sent: Sent) =>
    sent.answer(
      sent.request.op === 'attempt'
        ? { state: 'refused', code: 'child-failed', message: 'No room' }
        : { ...hello('fork'), sidecar: OPEN }
    );

  it.each(['auto', 'fork'] as const)(
    'ends with the way out under %s, and runs nowhere else',
    async isolation => {
      const { create, asked } = start(failing);
      const executor = await create(isolation);
      await expect(
        executor.run(job, () => undefined, new AbortController().signal)
      ).rejects.toMatchObject({
        code: 'child-failed',
        message:
          'No room. It was tried twice. Set “isolation” to “sidecar” to run attempts in a second kernel.'
      });
      expect(asked).toEqual([]);
    }
  );
});

it('probeIsolation returns what the kernel reported', async () => {
  const { kernel } = start(forkable);
  expect(
    await probeIsolation(kernel.connection, new AbortController().signal)
  ).toMatchObject({ mode: 'fork', memory: true });
});
