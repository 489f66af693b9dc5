/** @jest-environment node */
import type { Kernel } from '@jupyterlab/services';
import type { PausedFrame } from '../../core/domain/executor';
import { createExecutor } from '../create';
import { job, JupyterServer, runCell } from './jupyterServer';

jest.setTimeout(90_000);

const CELL = [
  'def area(width, height):',
  '    sides = [width, height]',
  '    return width + height',
  'value = area(2, 3)'
].join('\n');

type Reply = {
  readonly success: boolean;
  readonly message?: string;
  readonly body?: {
    readonly sourcePath?: string;
    readonly result?: string;
    readonly stackFrames?: readonly { readonly id: number }[];
  };
};

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;
let seq = 1;

async function debug(command: string, args: object = {}): Promise<Reply> {
  const reply = await kernel.requestDebug({
    type: 'request',
    seq: seq++,
    command,
    arguments: args
  } as never).done;
  return reply!.content as unknown as Reply;
}

/** Run the cell until the debugger stops it in line 3, in `area`. */
async function stopInCell(): Promise<{
  readonly frame: PausedFrame;
  readonly goOn: () => Promise<void>;
}> {
  await debug('initialize', {
    clientID: 'jupyterlab',
    adapterID: '',
    pathFormat: 'path',
    linesStartAt1: true,
    columnsStartAt1: true,
    locale: 'en-us'
  });
  await debug('attach', { justMyCode: false });
  const dumped = await debug('dumpCell', { code: CELL });
  await debug('setBreakpoints', {
    breakpoints: [{ line: 3 }],
    source: { path: dumped.body?.sourcePath },
    sourceModified: false
  });
  await debug('configurationDone');
  const threadId = new Promise<number>(resolve =>
    kernel.iopubMessage.connect((_, { header, content }) => {
      const event = content as {
        event?: string;
        body?: { threadId?: number };
      };
      if (
        (header.msg_type as string) === 'debug_event' &&
        event.event === 'stopped'
      ) {
        resolve(event.body!.threadId!);
      }
    })
  );
  const cell = runCell(kernel, CELL);
  const thread = await threadId;
  const stack = await debug('stackTrace', { threadId: thread });
  const frameId = stack.body!.stackFrames![0]!.id;
  let paused = true;
  return {
    frame: {
      names: ['width', 'height', 'sides'],
      isPaused: () => paused,
      evaluate: async expression => {
        const reply = await debug('evaluate', {
          expression,
          frameId,
          context: 'clipboard'
        });
        if (!reply.success) {
          throw new Error(reply.message);
        }
        return reply.body!.result!;
      }
    },
    goOn: async () => {
      paused = false;
      await debug('continue', { threadId: thread });
      await cell;
    }
  };
}

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  kernel = await server.startKernel();
});

afterEach(() => kernel.shutdown().catch(() => undefined));

it('runs attempts where the debugger has stopped, and leaves no trace', async () => {
  const { frame, goOn } = await stopInCell();
  const executor = await createExecutor(kernel, {
    isolation: 'auto',
    allowLive: () => Promise.resolve(false),
    frame
  });
  const { signal } = new AbortController();
  const attempt = (source: string, check: string, holdout?: string) =>
    executor.run(
      {
        ...job(source, check),
        holdouts: holdout
          ? [
              {
                cellId: 'h',
                index: 2,
                role: 'holdout',
                source: holdout,
                statements: 1
              }
            ]
          : []
      },
      () => undefined,
      signal
    );
  try {
    expect(await executor.inspect(['sides', 'value'], 'types', signal)).toEqual(
      [{ name: 'sides', type: 'list', length: 2 }]
    );
    const failing = await attempt(
      'sides.append(9)\nwidth = 0',
      'assert sides == [2, 3]'
    );
    expect(failing.assertions[0]).toMatchObject({ outcome: 'failed' });
    // Longer than the kernel holds its reply back: collected past the stop.
    const passing = await attempt(
      'import time; time.sleep(1)\ndef area(w, h):\n    return w * h',
      'assert area(width, height) == 6 and sides == [2, 3]',
      'assert area(3, 3) == 9'
    );
    expect(passing).toMatchObject({
      status: 'completed',
      assertions: [{ outcome: 'passed' }, { outcome: 'passed' }]
    });
  } finally {
    executor.dispose();
  }
  await goOn();
  expect(await runCell(kernel, 'print(value, "sides" in globals())')).toBe(
    '5 False'
  );
});

it('says so when the debugger has left the frame', async () => {
  const { frame, goOn } = await stopInCell();
  const executor = await createExecutor(kernel, {
    isolation: 'auto',
    allowLive: () => Promise.resolve(false),
    frame
  });
  try {
    await goOn();
    await expect(
      executor.run(
        job('x = 1', 'assert x == 1'),
        () => undefined,
        new AbortController().signal
      )
    ).rejects.toThrow('The debugger left the line where this session started.');
    // A fork made now has none of the frame's variables.
    expect(await runCell(kernel, 'print("width" in globals())')).toBe('False');
  } finally {
    executor.dispose();
  }
});
