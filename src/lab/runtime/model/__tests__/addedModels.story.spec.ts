/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import type { ModelProfile } from '../../../../tokens';
import { addedModel, withAdded } from '../modelCatalog';
import { chooseModel } from '../modelCatalog';

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
const server = (profiles: readonly ModelProfile[], name = '') => ({
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
const choose = (from: ReturnType<typeof server>, choice: string) =>
  chooseModel(withAdded(from, [added]), choice, nullTranslator.load(''));

it('offers added models beside those of the server', () => {
  const both = server([profile('openai')], 'openai');
  expect(choose(both, '')).toMatchObject({
    identity: { profile: 'openai' },
    profiles: [{ name: 'openai' }, { name: 'fixed', models: ['one', 'two'] }]
  });
  expect(choose(both, 'fixed/two')).toMatchObject({
    identity: { profile: 'fixed', model: 'two', host: 'this page' }
  });
});

it('uses an added model where the server has none', () => {
  expect(choose(server([]), '')).toMatchObject({
    identity: { profile: 'fixed', model: 'one' }
  });
});

it('hides an added profile behind one of the server', () => {
  const setup = choose(server([profile('fixed')]), 'fixed');
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
