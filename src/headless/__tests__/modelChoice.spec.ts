/** @jest-environment node */
import { connectionSettings } from '../jupyterServer';
import { chooseModel } from '../modelChoice';

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
  hints: ['Set OPENAI_API_KEY.'],
  profiles: [
    profile('main'),
    profile('other'),
    profile('broken', { error: 'The key is missing.' }),
    profile('open', { defaultModel: null }),
    profile('demo', { demo: true, defaultModel: 'recorded', host: '' })
  ],
  policy: {}
};

async function chosen(wanted: object, server: object = SERVER) {
  const settings = {
    ...connectionSettings('http://127.0.0.1:1/', 'token'),
    fetch: () => Promise.resolve(new Response(JSON.stringify(server)))
  };
  const model = await chooseModel(settings, {
    profile: null,
    model: null,
    generatorModel: '',
    ...wanted
  });
  const { identity } = model;
  return `${identity.profile}/${identity.model}${identity.recorded ? ' recorded' : ''}`;
}

it.each([
  [{}, 'main/m2'],
  [{ model: 'm1' }, 'main/m1'],
  [{ model: 'org/m' }, 'main/org/m'],
  [{ profile: 'other' }, 'other/m1'],
  [{ profile: 'main' }, 'main/m2'],
  [{ profile: 'open', model: 'x' }, 'open/x'],
  [{ profile: 'demo' }, 'demo/recorded recorded'],
  [{ generatorModel: 'other/m2' }, 'other/m2'],
  [{ generatorModel: 'm9' }, 'main/m9'],
  [{ generatorModel: 'other/m2', profile: 'main' }, 'main/m2'],
  [{ generatorModel: 'other/m2', model: 'm1' }, 'other/m1']
])('%j chooses %s', async (wanted, expected) => {
  expect(await chosen(wanted)).toBe(expected);
});

it.each([
  [
    { profile: 'mian' },
    SERVER,
    'There is no profile mian on this server; it has main, other, broken, open, demo. Did you mean main?'
  ],
  [{ profile: 'broken' }, SERVER, 'Profile broken: The key is missing.'],
  [
    { profile: 'open' },
    SERVER,
    'Profile open (open.example) names no default model. Choose one with --model: m1, m2.'
  ],
  [
    {},
    { ...SERVER, default: null },
    'There is no model to write candidates with.\nSet OPENAI_API_KEY.'
  ]
])('%j is a configuration error', async (wanted, server, message) => {
  await expect(chosen(wanted, server)).rejects.toMatchObject({
    kind: 'config',
    code: 'no-model',
    message
  });
});
