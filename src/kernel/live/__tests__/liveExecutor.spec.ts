/** @jest-environment node */
import { spawnSync } from 'node:child_process';
import { systemClock } from '../../../core/clock';
import type {
  ExecutionJob,
  ExecutionProgress
} from '../../../core/domain/executor';
import { LiveExecutor } from '../liveExecutor';
import { FakeKernel, type Sent } from '../../__tests__/fakeKernel';

function job(...checks: readonly string[]): ExecutionJob {
  return {
    id: 'a1',
    candidate: 'candidate',
    assertions: checks.map((source, index) => ({
      cellId: `c${index}`,
      index,
      role: 'assertion',
      source,
      statements: 1
    })),
    holdouts: [],
    limits: { seconds: 5 },
    contextValues: 'types',
    allowNetwork: false,
    allowWrites: false
  };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** The end of a run, after so much time. */
async function end<T>(running: Promise<T>, ms = 10): Promise<T> {
  await pass(ms);
  return running;
}

/** False: it does not end by itself. */
type Effect = (sent: Sent) => unknown;

const ok: Effect = sent => sent.reply({ status: 'ok' });

const raise =
  (ename: string, evalue = '', traceback: readonly string[] = []): Effect =>
  sent => {
    const content = { ename, evalue, traceback };
    sent.iopub('error', content).reply({ status: 'error', ...content });
  };

const print =
  (text: string, name = 'stdout'): Effect =>
  sent => {
    sent.iopub('stream', { name, text });
    ok(sent);
  };

const hang: Effect = () => false;

function start(cells: Readonly<Record<string, Effect>>, language = 'python') {
  const kernel = new FakeKernel();
  const effects: Record<string, Effect> = {
    'assert False': raise('AssertionError'),
    ...cells
  };
  kernel.onSend = sent => {
    sent.busy(7);
    const effect = effects[sent.content.code as string] ?? ok;
    if (effect(sent) !== false) {
      sent.idle();
    }
  };
  kernel.onInterrupt = () => {
    const running = kernel.sent[kernel.sent.length - 1];
    raise('KeyboardInterrupt')(running);
    running.idle();
  };
  const executor = new LiveExecutor(
    kernel.connection,
    language,
    ['No fork on this system.'],
    systemClock
  );
  const stop = new AbortController();
  const progress: ExecutionProgress[] = [];
  const run = (what = job('check')) =>
    executor.run(what, event => progress.push(event), stop.signal);
  const codes = () => kernel.sent.map(sent => sent.content.code);
  return { kernel, executor, run, stop, progress, codes };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('LiveExecutor', () => {
  it('runs canary, candidate and checks silently', async () => {
    const { run, codes, kernel, progress } = start({
      candidate: print(
        '\x1b[38;5;241mhi\x1b[39m \x1b]8;;https://example.org\x07a[0]\x1b]8;;\x07\x1b[2K\n'
      )
    });
    expect(await end(run(job('one', 'two')))).toMatchObject({
      status: 'completed',
      stdout: 'hi a[0]\n',
      tampering: [],
      assertions: [
        { id: 'c0:1', outcome: 'passed' },
        { id: 'c1:1', outcome: 'passed' }
      ],
      isolation: {
        mode: 'live',
        memory: false,
        files: 'open',
        network: false,
        reasons: ['No fork on this system.']
      }
    });
    expect(codes()).toEqual(['assert False', 'candidate', 'one', 'two']);
    expect(kernel.sent[1].content).toMatchObject({
      silent: false,
      store_history: false,
      stop_on_error: false,
      allow_stdin: false
    });
    expect(progress.map(event => event.type)).toEqual([
      'started',
      'output',
      'assertion',
      'assertion'
    ]);
  });

  describe('with hold-outs', () => {
    const withHoldout = (source: string) => ({
      ...job('check'),
      holdouts: [
        {
          cellId: 'h',
          index: 9,
          role: 'holdout' as const,
          source,
          statements: 1
        }
      ]
    });

    it('shows no output and no preview of them', async () => {
      const { run, progress } = start({
        check: print('visible'),
        hidden: print('secret')
      });
      expect(await end(run(withHoldout('hidden')))).toMatchObject({
        stdout: 'visible',
        stderr: '',
        assertions: [
          { role: 'assertion', outcome: 'passed' },
          { role: 'holdout', outcome: 'passed' }
        ]
      });
      expect(JSON.stringify(progress)).not.toMatch(/secret|hidden/);
    });

    it('runs none after a failed check', async () => {
      const { run, codes } = start({ check: raise('AssertionError') });
      expect((await end(run(withHoldout('hidden')))).assertions).toMatchObject([
        { outcome: 'failed' },
        { role: 'holdout', outcome: 'not-run' }
      ]);
      expect(codes()).not.toContain('hidden');
    });
  });

  it('does not trust a kernel in which the canary passes', async () => {
    const { run } = start({ 'assert False': ok });
    expect((await end(run())).tampering).toEqual([
      'The kernel lets “assert False” pass, so its checks prove nothing.'
    ]);
  });

  it('says that failures in other languages are not known', async () => {
    const { run, codes } = start({ ')]}': raise('SyntaxError') }, 'scheme');
    const execution = await end(run());
    expect(execution.tampering).toEqual([]);
    expect(execution.warnings[0]).toContain('scheme');
    expect(codes()).toEqual([')]}', 'candidate', 'check']);
  });

  it('shows nothing of what the canary prints', async () => {
    const fails = raise('Error', 'canary');
    const { run } = start(
      {
        "error('canary')": sent => {
          sent.iopub('stream', { name: 'stderr', text: 'error: canary' });
          return fails(sent);
        }
      },
      'octave'
    );
    expect(await end(run())).toMatchObject({ stderr: '', tampering: [] });
  });

  it.each([
    ['', '1', 'Error', 'exit status 1'],
    ["<class 'a.b.Failed'>", 'x', 'Failed', 'x']
  ])('names the error %j %j', async (ename, evalue, name, message) => {
    const { run } = start({ candidate: raise(ename, evalue) });
    expect((await end(run())).error).toMatchObject({ name, message });
  });

  const whole = (language: string, source: string) => {
    const fails = raise('Error', 'canary');
    const { run, codes } = start(
      { false: fails, 'throw new Error("canary")': fails },
      language
    );
    const running = run(job(source));
    return pass(10).then(async () => ({
      result: (await running).assertions[0],
      code: codes()[2]
    }));
  };

  it.each([
    ['typescript', 'console.assert(x === 4)', 'throw new Error'],
    ['javascript', 'const y = f(2)\nconsole.assert(y, 4)\nassert(y)', 'throw'],
    ['typescript', 'Deno.test("a", () => {\n  assert(false)\n})', 'throw'],
    ['typescript', '(async () => {\n  assert(await f())\n})()', 'await'],
    ['bash', '[ $x = 4 ] || echo wrong', '[ … ]'],
    ['bash', 'if [ $x = 4 ]; then echo yes; else echo no; fi', '[ … ]']
  ])(
    'says that a check in %s cannot fail: %j',
    async (language, check, way) => {
      const { result } = await whole(language, check);
      expect(result).toMatchObject({
        outcome: 'not-run',
        difference: expect.stringMatching(/never fails in this kernel; write /)
      });
      expect(result.difference).toContain(way);
    }
  );

  it.each([
    ['typescript', 'await (async () => {\n  assert(await f())\n})()'],
    ['typescript', '// console.assert(x)\nassert(x)'],
    ['bash', '[ $x = 4 ]'],
    ['bash', 'diff <(f 2) expected']
  ])('runs a check in %s as it is: %j', async (language, check) => {
    const { result, code } = await whole(language, check);
    expect(result.outcome).toBe('passed');
    expect(code).toBe(check);
  });

  it.each([
    ['[ 1 = 2 ]\necho done', 1],
    ['[ 1 = 2 ] && echo yes\necho done', 1],
    ['[ 1 = 1 ]\nfalse', 1],
    ['[ 1 = 2 ] || exit 3', 3],
    ['if [ 1 = 2 ]; then\n  exit 1\nfi\n[ 1 = 1 ]', 0],
    ['[ 1 = 2 ]\nexit 0', 1],
    ['grep -q a /dev/null\n[ $? = 1 ]\ntest 1 # yes\necho done', 0],
    ['[ 1 = 1 ] &&\n  [ 2 = 2 ]\ncat <<EOF\n[ 1 = 2 ]\nEOF', 0]
  ])(
    'notes each check of a cell in bash: %j ends with %d',
    async (check, end) => {
      const { code } = await whole('bash', check);
      const { status } = spawnSync('bash', ['-c', code as string]);
      expect(status).toBe(end);
    }
  );

  it('reads R’s failed checks from the message', async () => {
    const { run } = start(
      {
        'stopifnot(FALSE)': raise('ERROR', 'Error: FALSE is not TRUE'),
        'stopifnot(x == 1)': raise('ERROR', 'Error: x == 1 is not TRUE'),
        'stopifnot(y)': raise(
          'ERROR',
          "Error in stopifnot(y): object 'y' not found"
        )
      },
      'r'
    );
    const { assertions } = await end(
      run(job('stopifnot(x == 1)', 'stopifnot(y)'))
    );
    expect(assertions).toMatchObject([
      {
        outcome: 'failed',
        error: { name: 'Error', message: 'x == 1 is not TRUE' }
      },
      { outcome: 'error' }
    ]);
  });

  it.each([
    ['r', 'x == 1', 'write stopifnot()'],
    ['r', 'all.equal(x, 1)', 'write stopifnot()'],
    ['julia', 'x == 1', 'write @assert'],
    ['scheme', 'x', 'is not checked']
  ])(
    'does not count what only shows a value in %s: %s',
    async (language, check, reason) => {
      const { run, codes } = start(
        {
          'stopifnot(FALSE)': raise('ERROR'),
          '@assert false': raise('AssertionError')
        },
        language
      );
      expect((await end(run(job(check)))).assertions).toMatchObject([
        { outcome: 'not-run', difference: expect.stringContaining(reason) }
      ]);
      expect(codes()).toContain(check);
    }
  );

  it.each(['if (x != 1) stop("no")', 'check_all(x)', 'stopifnot(x == 1)'])(
    'counts what may fail by itself: %s',
    async check => {
      const { run } = start({ 'stopifnot(FALSE)': raise('ERROR') }, 'r');
      expect((await end(run(job(check)))).assertions).toMatchObject([
        { outcome: 'passed' }
      ]);
    }
  );

  it('says so when the kernel does not react to interrupts', async () => {
    const { run, kernel } = start({ candidate: hang });
    kernel.onInterrupt = () => undefined;
    const execution = await end(run(), 20_000);
    expect(execution).toMatchObject({ status: 'cut', stop: 'timeout' });
    expect(execution.warnings[0]).toContain('did not react to 5 interrupts');
    expect(kernel.interrupts).toBe(5);
  });

  it('waits for a kernel that drops all that comes soon after an error', async () => {
    const { run, kernel } = start({});
    const inner = kernel.onSend;
    const startedAt = Date.now();
    kernel.onSend = sent => {
      if (sent.content.code === 'candidate' && Date.now() < startedAt + 200) {
        sent.reply({ status: 'abort' }).idle();
      } else {
        inner(sent);
      }
    };
    expect((await end(run(), 1000)).status).toBe('completed');
  });

  it('is cut when the user interrupts the kernel', async () => {
    const { run } = start({ candidate: raise('KeyboardInterrupt') });
    expect(await end(run())).toMatchObject({
      status: 'cut',
      stop: 'interrupted'
    });
  });

  it('is cut and not repeated when an interrupt is an abort', async () => {
    const { run, codes } = start({
      candidate: sent => sent.reply({ status: 'abort' })
    });
    expect((await end(run(), 100)).stop).toBe('interrupted');
    expect(codes()).toEqual(['assert False', 'candidate']);
  });

  it.each([
    ['restarting', 'kernel-restarted'],
    ['dead', 'kernel-died']
  ] as const)('is cut when the kernel is %s', async (status, stop) => {
    const { run, kernel } = start({ candidate: hang });
    const running = run();
    await pass(100);
    kernel.setStatus(status);
    await pass(10);
    expect(await running).toMatchObject({ status: 'cut', stop });
    expect(kernel.interrupts).toBe(0);
  });

  it('keeps rich outputs as text, and output within its bound', async () => {
    const { run } = start({
      candidate: sent => {
        sent.iopub('display_data', {
          data: { 'text/html': ['<b>', 'x</b>'], 'text/plain': 'x' },
          metadata: {}
        });
        sent.iopub('stream', { name: 'stderr', text: 'e'.repeat(1000050) });
        ok(sent);
      },
      check: print('more')
    });
    expect(await end(run(job('check')))).toMatchObject({
      displays: [{ mime: 'text/html', data: '<b>x</b>', text: 'x' }],
      stderr: 'e'.repeat(1000000),
      stdout: 'more'
    });
  });
});
