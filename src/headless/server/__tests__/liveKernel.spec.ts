/** @jest-environment node */
import { FakeClock } from '../../../testing/fakeClock';
import { connectionSettings } from '../jupyterServer';
import {
  kernelEnvironment,
  removeKernel,
  startKernel,
  watchKernel,
  OutputCollector
} from '../liveKernel';
import { KernelMessage } from '@jupyterlab/services';
import { parseProfiles } from '../../../models/profiles';
import { settingsSchema } from '../../../core/settings';
import { chooseModels } from '../modelChoice';

const KERNEL = {
  id: 'k1',
  name: 'python3',
  last_activity: '2026-01-01T00:00:00Z',
  connections: 0,
  execution_state: 'starting'
};

type Reply = readonly [status: number, body: object];

/** A server that gives these replies in turn, the last one for ever. */
function server(...replies: readonly Reply[]) {
  const requests: { method: string; path: string; body: string }[] = [];
  const settings = {
    ...connectionSettings('http://hub.example/', 'token'),
    fetch: async (input: RequestInfo | URL) => {
      const request = input as Request;
      const { pathname } = new URL(request.url);
      const body = await request.text();
      requests.push({ method: request.method, path: pathname, body });
      const reply = replies[Math.min(requests.length, replies.length) - 1]!;
      const [status, content] = reply;
      return new Response(status === 204 ? null : JSON.stringify(content), {
        status
      });
    }
  };
  return { settings, requests };
}

const LIMIT =
  'A max kernels limit has been set to 6 and there are currently 6 active';

function start(
  { settings }: ReturnType<typeof server>,
  environment = {},
  onFull = (_: string) => undefined as void
) {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const started = startKernel(
    settings,
    { name: 'python3', env: environment },
    onFull,
    signal,
    clock
  );
  return passing(clock, started, 20_000);
}

/** Lets time pass until the promise has an end. */
async function passing<T>(
  clock: FakeClock,
  promise: Promise<T>,
  stepMs = 1000
): Promise<T> {
  let ended = false;
  const done = () => (ended = true);
  void promise.then(done, done);
  while (!ended) {
    await clock.advance(stepMs);
  }
  return promise;
}

describe('starting a kernel', () => {
  it.each([
    [403, LIMIT],
    [403, 'Resource Limit'],
    [429, 'Too many requests'],
    [503, 'Service unavailable']
  ])('waits while the server is full (%d)', async (status, message) => {
    const full: Reply = [status, { message }];
    const given = server(full, full, [201, KERNEL]);
    const reasons: string[] = [];
    const model = await start(given, {}, reason => reasons.push(reason));
    expect(model.id).toBe('k1');
    expect(given.requests).toHaveLength(3);
    expect(reasons).toEqual([message, message]);
  });

  it('gives up after ten minutes, with the words of the server', async () => {
    await expect(start(server([403, { message: LIMIT }]))).rejects.toThrow(
      `no room for a kernel for 10 minutes: ${LIMIT}`
    );
  });

  it('sends the variables of gateway clients, and no others', async () => {
    const given = server([201, KERNEL]);
    const environment = kernelEnvironment({
      KERNEL_USERNAME: 'ada',
      OPENAI_API_KEY: 'secret'
    });
    await start(given, environment);
    expect(JSON.parse(given.requests[0]!.body)).toEqual({
      name: 'python3',
      env: { KERNEL_USERNAME: 'ada' }
    });
  });

  it.each([
    [
      { message: "User 'root' is not authorized. Set KERNEL_USERNAME." },
      'reported an error: User'
    ],
    [{ message: 'Forbidden' }, 'requires a valid token (403)'],
    [{}, 'requires a valid token (403)']
  ])('says why it was refused: %j', async (body, expected) => {
    await expect(start(server([403, body]))).rejects.toThrow(expected);
  });
});

describe('removing a kernel', () => {
  it('asks again until a kernel that died and was restarted is gone', async () => {
    const absent: Reply = [404, {}];
    const given = server(absent, [200, KERNEL], [204, {}], absent);
    const clock = new FakeClock();
    await passing(clock, removeKernel('k1', given.settings, clock, true));
    expect(given.requests.map(({ method }) => method)).toEqual([
      'GET',
      ...['GET', 'DELETE'],
      ...['GET', 'GET', 'GET']
    ]);
  });

  it('asks once for one that lives', async () => {
    const given = server([204, {}]);
    const clock = new FakeClock();
    await passing(clock, removeKernel('k1', given.settings, clock, false));
    expect(given.requests).toHaveLength(1);
  });
});

const REFUSED = new TypeError('connect ECONNREFUSED');
const NEVER = new Promise<Response>(() => undefined);

it.each([
  ['lives', [200], null],
  ['lives, behind a proxy that fails twice', [502, REFUSED, 200], null],
  ['is gone', [200, 404], 'kernel-dead'],
  ['is on a server that refuses connections', [200, REFUSED], 'unreachable'],
  ['is on a server that does not answer', [200, NEVER], 'unreachable'],
  ['is behind a proxy without a server', [502], 'unreachable']
])('watches a kernel that %s', async (_, replies, code) => {
  let asked = 0;
  const settings = {
    ...connectionSettings('http://hub.example/', 'token'),
    fetch: async () => {
      const reply = replies[Math.min(asked++, replies.length - 1)]!;
      if (reply instanceof Error) {
        throw reply;
      }
      return typeof reply === 'number'
        ? new Response(JSON.stringify(KERNEL), { status: reply })
        : reply;
    }
  };
  const clock = new FakeClock();
  const end = new AbortController();
  const found: (string | undefined)[] = [];
  watchKernel(KERNEL, settings, clock, end.signal).then(
    why => found.push(why.code),
    () => undefined
  );
  for (let second = 0; second < 60 && found.length === 0; second++) {
    await clock.advance(1000);
  }
  end.abort();
  await clock.advance(1000);
  expect(clock.sleeping).toBe(0);
  expect(found[0] ?? null).toBe(code);
});

function collected(messages: readonly (readonly [string, object])[]) {
  const collector = new OutputCollector();
  for (const [msgType, content] of messages) {
    collector.add(
      KernelMessage.createMessage({
        channel: 'iopub',
        msgType: msgType as 'stream',
        session: 's',
        content: content as KernelMessage.IStreamMsg['content']
      })
    );
  }
  return collector.outputs;
}

it('OutputCollector clears at once, or before the next output', () => {
  const text = (t: string) => ['stream', { name: 'stdout', text: t }] as const;
  expect(collected([text('a'), ['clear_output', { wait: false }]])).toEqual([]);
  expect(collected([text('a'), ['clear_output', { wait: true }]])).toHaveLength(
    1
  );
  expect(
    collected([text('a'), ['clear_output', { wait: true }], text('b')])
  ).toEqual([{ output_type: 'stream', name: 'stdout', text: 'b' }]);
});

describe('modelChoice', () => {
  const profile = (name: string, fields: object = {}) => ({
    name,
    host: `${name}.example`,
    models: ['m1', 'm2'],
    defaultModel: 'm1',
    demo: false,
    error: null,
    prices: null,
    ...fields
  });

  const SERVER = {
    version: '0.1.0',
    default: { profile: 'main', model: 'm2' },
    hints: [
      'Set OPENAI_API_KEY.',
      'Or enter a key here: it stays in the memory of the Jupyter server.'
    ],
    profiles: [
      profile('main'),
      profile('other'),
      profile('broken', { error: 'The key is missing.', defaultModel: null }),
      profile('open', { defaultModel: null }),
      profile('demo', { demo: true, defaultModel: 'demo', host: '' })
    ],
    policy: {}
  };

  const settings = connectionSettings('http://127.0.0.1:1/', 'token');

  function chosen(
    { setting = '', ...flags }: Readonly<Record<string, string>>,
    server: object = SERVER
  ) {
    const { generator } = chooseModels(
      settings,
      parseProfiles(server),
      { profile: null, model: null, ...flags },
      settingsSchema.parse({ generatorModel: setting })
    );
    const { identity } = generator;
    return `${identity.profile}/${identity.model}${identity.recorded ? ' recorded' : ''}`;
  }

  it('chooses a judge where the settings name one', () => {
    const options = settingsSchema.parse({
      evaluatorModel: 'other/m2'
    });
    const flags = { profile: 'demo', model: null };
    const server = parseProfiles(SERVER);
    const models = chooseModels(settings, server, flags, options);
    expect(models.generator.identity.profile).toBe('demo');
    expect(models.evaluator?.identity).toMatchObject({
      profile: 'other',
      model: 'm2'
    });
    const none = chooseModels(
      settings,
      server,
      flags,
      settingsSchema.parse({})
    );
    expect(none.evaluator).toBeNull();
  });

  it.each<[Record<string, string>, string]>([
    [{}, 'main/m2'],
    [{ model: 'm1' }, 'main/m1'],
    [{ model: 'org/m' }, 'main/org/m'],
    [{ profile: 'other' }, 'other/m1'],
    [{ profile: 'main' }, 'main/m2'],
    [{ profile: 'open', model: 'x' }, 'open/x'],
    [{ profile: 'broken', model: 'x' }, 'broken/x'],
    [{ profile: 'demo' }, 'demo/demo recorded'],
    [{ setting: 'other/m2' }, 'other/m2'],
    [{ setting: 'm9' }, 'main/m9'],
    [{ setting: 'other/m2', profile: 'main' }, 'main/m2'],
    [{ setting: 'other/m2', model: 'm1' }, 'other/m1']
  ])('%j chooses %s', (wanted, expected) => {
    expect(chosen(wanted)).toBe(expected);
  });

  const MANY = {
    ...SERVER,
    default: null,
    profiles: [
      profile('openai', { defaultModel: null }),
      profile('demo', { demo: true, defaultModel: 'demo', host: '' })
    ]
  };

  it('takes the only profile for a model of a server with many', () => {
    expect(chosen({ model: 'm2' }, MANY)).toBe('openai/m2');
    expect(chosen({ setting: 'm2' }, MANY)).toBe('openai/m2');
  });

  it.each<[Record<string, string>, object, string]>([
    [{ profile: 'broken' }, SERVER, 'Profile broken: The key is missing.'],
    [
      { profile: 'mian' },
      SERVER,
      'There is no profile mian on this server; it has main, other, broken, open, demo.'
    ],
    [
      { profile: 'open' },
      SERVER,
      'Profile open (open.example) has no default model. Choose one with --model: m1, m2.'
    ],
    [
      {},
      { ...SERVER, default: null },
      'No model is configured.\nSet OPENAI_API_KEY.'
    ]
  ])('%j is a configuration error', (wanted, server, message) => {
    expect(errorOf(() => chosen(wanted, server))).toMatchObject({
      kind: 'config',
      code: 'no-model',
      message
    });
  });

  function errorOf(call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      return error;
    }
  }
});
