/** @jest-environment node */
import { ServerConnection } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import {
  takesKeys,
  type IRefineModels,
  type ModelProfile,
  type ModelSetup,
  type ServerLimits
} from '../../../../tokens';
import {
  addedModel,
  chooseModel,
  isStillOffered,
  ModelCatalog,
  parseChoice,
  withAdded,
  type ServerModels
} from '../modelCatalog';

const server: ServerModels = {
  default: { profile: 'local', model: 'qwen2.5-coder' },
  hints: ['Set OPENAI_API_KEY.'],
  profiles: [
    {
      name: 'local',
      host: 'localhost:11434',
      models: ['qwen2.5-coder', 'meta/llama'],
      defaultModel: 'qwen2.5-coder',
      demo: false
    },
    {
      name: 'demo',
      host: '',
      models: ['demo'],
      defaultModel: 'demo',
      demo: true
    }
  ]
};

const trans = nullTranslator.load('');

describe('chooseModel', () => {
  it('reports other profiles that cannot be used', () => {
    const hints = ['Profile panel: the key was refused.'];
    expect(chooseModel({ ...server, hints }, '', trans)).toMatchObject({
      status: 'ready',
      hints
    });
    // One of its models is chosen.
    const own = ['Choose one of the models of local (localhost:11434).'];
    expect(
      chooseModel({ ...server, hints: own }, '', trans)
    ).not.toHaveProperty('hints');
  });

  it('names a model that its server does not list, and takes it', () => {
    const choose = (model: string) =>
      chooseModel(server, `local/${model}`, trans);
    expect(choose('typo')).toMatchObject({
      status: 'ready',
      identity: { model: 'typo' },
      problem: expect.stringContaining(
        'localhost:11434 does not list the model “typo”. It lists: qwen2.5-coder'
      )
    });
    expect(choose('qwen2.5-coder')).not.toHaveProperty('problem');
  });

  it('takes the chosen model, slashes in its name included', () => {
    expect(parseChoice('local/meta/llama')).toEqual({
      profile: 'local',
      model: 'meta/llama'
    });
    expect(chooseModel(server, 'local/meta/llama', trans)).toMatchObject({
      identity: { model: 'meta/llama' }
    });
  });

  it('takes the default model of a profile, and marks the demo', () => {
    expect(chooseModel(server, 'demo', trans)).toMatchObject({
      identity: { profile: 'demo', model: 'demo', recorded: true }
    });
  });

  it('says what to do when the chosen server is not known', () => {
    expect(chooseModel(server, 'gone/x', trans)).toEqual({
      status: 'error',
      message: expect.stringContaining('gone/x, whose server is not known'),
      profiles: server.profiles
    });
  });

  it('never takes the demo by itself', () => {
    const onlyDemo = {
      ...server,
      default: null,
      profiles: [server.profiles[1]]
    };
    expect(chooseModel(onlyDemo, '', trans)).toEqual({
      status: 'no-model',
      hints: server.hints,
      profiles: onlyDemo.profiles
    });
  });
});

it('hands on the policy of the server, whatever is chosen', () => {
  const policy = { allowKeyFromPanel: false } as ServerLimits;
  const strict = { ...server, policy };
  for (const [from, chosen] of [
    [strict, ''],
    [{ ...strict, default: null }, ''],
    [strict, 'gone/x']
  ] as const) {
    const setup = chooseModel(from, chosen, trans);
    expect(setup).toMatchObject({ policy });
    expect(takesKeys(setup)).toBe(false);
  }
  expect(takesKeys(chooseModel(server, '', trans))).toBe(true);
});

describe('models of other extensions', () => {
  const added = {
    name: 'fixed',
    host: 'this page',
    models: ['one', 'two'],
    prices: { two: { input: 1, output: 2 } },
    async *generate(model: string) {
      yield { type: 'text' as const, text: model };
      throw new Error('out of memory');
    }
  };
  const serverOf = (profiles: readonly ModelProfile[], name = '') => ({
    default: name ? { profile: name, model: 'm' } : null,
    hints: [],
    profiles
  });
  const profile = (name: string): ModelProfile => ({
    name,
    host: 'h',
    models: ['m'],
    defaultModel: 'm',
    demo: false
  });
  const choose = (from: ReturnType<typeof serverOf>, choice: string) =>
    chooseModel(withAdded(from, [added]), choice, trans);

  it('offers added models beside those of the server', () => {
    const both = serverOf([profile('openai')], 'openai');
    expect(choose(both, '')).toMatchObject({
      identity: { profile: 'openai' },
      profiles: [{ name: 'openai' }, { name: 'fixed', models: ['one', 'two'] }]
    });
    expect(choose(both, 'fixed/two')).toMatchObject({
      identity: { profile: 'fixed', model: 'two', host: 'this page' }
    });
  });

  it('hides an added profile behind one of the server', () => {
    const setup = choose(serverOf([profile('fixed')]), 'fixed');
    expect(setup).toMatchObject({
      identity: { host: 'h' },
      profiles: [{ host: 'h' }]
    });
  });

  it('names the model in the error when it throws', async () => {
    const model = addedModel(added, {
      profile: 'fixed',
      model: 'two',
      host: 'this page',
      recorded: false
    });
    expect(model.prices).toEqual({ input: 1, output: 2 });
    const events = model
      .generate({ messages: [] }, new AbortController().signal)
      [Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: 'text', text: 'two' });
    await expect(events.next()).rejects.toMatchObject({
      kind: 'model',
      message: 'The model fixed/two of an extension failed: out of memory'
    });
  });
});

function catalogOf(asked: string[]): ModelCatalog {
  const error = 'Cannot reach h.';
  const entered = { name: 'panel', host: 'h', models: [], demo: false, error };
  const profiles = [{ ...entered, defaultModel: null }];
  const body = { version: '0', default: null, hints: [], profiles };
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost:1/',
    fetch: async input => {
      asked.push(new URL((input as Request).url).search);
      return new Response(JSON.stringify(body));
    }
  });
  const added = {
    items: new Map(),
    changed: new Signal({})
  } as unknown as IRefineModels;
  return new ModelCatalog(settings, trans, () => '', added);
}

it.each([
  ['panel/b', ['a', 'b'], true],
  ['panel/b', ['a'], false],
  // It lists none, but may have it; it was forgotten.
  ['panel/b', [], true],
  ['panel/b', null, false],
  ['local/b', ['a'], true],
  ['', null, true]
])('whether %s is still offered by a server of %j: %s', (choice, of, still) => {
  const profiles = of === null ? [] : [{ name: 'panel', models: of }];
  const setup = { status: 'no-model', hints: [], profiles };
  expect(isStillOffered(choice, setup as unknown as ModelSetup)).toBe(still);
});

it('returns why what was entered cannot be used', async () => {
  expect(await catalogOf([]).setKey('k', null)).toBe('Cannot reach h.');
});

it('has the server ask the providers only on request', async () => {
  const asked: string[] = [];
  const catalog = catalogOf(asked);
  await catalog.refresh();
  await catalog.refresh(true);
  expect(asked).toEqual([
    expect.not.stringContaining('refresh=1'),
    expect.stringContaining('refresh=1')
  ]);
});
