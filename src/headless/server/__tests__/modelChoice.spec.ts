/** @jest-environment node */
import { connectionSettings } from '../jupyterServer';
import { parseProfiles } from '../../../models/profiles';
import { settingsSchema } from '../../../core/settings';
import { chooseModel, chooseModels } from '../modelChoice';

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

function chosen(wanted: object, server: object = SERVER) {
  const model = chooseModel(settings, parseProfiles(server), {
    profile: null,
    model: null,
    setting: '',
    ...wanted
  });
  const { identity } = model;
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
  const none = chooseModels(settings, server, flags, settingsSchema.parse({}));
  expect(none.evaluator).toBeNull();
});

it.each([
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

it.each([
  [{ profile: 'broken' }, SERVER, 'Profile broken: The key is missing.'],
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
