/** @jest-environment node */
import { ServerConnection } from '@jupyterlab/services';
import { closedBaseUrl, ScriptedServer } from '../../testing/scriptedServer';
import { pageServer } from '../pageServer';
import { listProfiles, serverModel, setServerKey } from '../server';
import { collect, failing, SHORT, textOf } from './support';

const KEY = 'sk-own-canary-0123456789';

let provider: ScriptedServer;
let settings: ServerConnection.ISettings;
beforeEach(async () => {
  provider = await ScriptedServer.start({
    key: KEY,
    models: ['embedder', 'tiny-coder', 'huge'],
    answers: [{ text: 'x = 1' }]
  });
  settings = ServerConnection.makeSettings({
    baseUrl: 'https://site.example.org/lite/',
    token: 'jupyter-token',
    fetch: pageServer() as typeof fetch
  });
});
afterEach(() => provider.close());

function model() {
  return serverModel({
    settings,
    profile: 'panel',
    model: 'tiny-coder',
    host: provider.host,
    recorded: false,
    tuning: { ...SHORT, maxRetryAfterMs: 20 }
  });
}

describe('a page without a server', () => {
  it('asks for a key of one’s own, and names no Jupyter server to restart', async () => {
    const setup = await listProfiles(settings);
    expect(setup.status).toBe('no-model');
    expect(JSON.stringify(setup)).toContain('Enter your own key');
  });

  it('calls the provider with the key that was entered, and nothing of Jupyter’s', async () => {
    const setup = await setServerKey(settings, KEY, `${provider.baseUrl}/`);
    expect(setup).toMatchObject({
      status: 'ready',
      identity: { model: 'tiny-coder', host: provider.host }
    });
    expect(JSON.stringify(setup)).not.toContain(KEY);
    expect(textOf(await collect(model()))).toContain('x = 1');
    const { headers, path } = provider.log.records.at(-1)!;
    expect(path).toBe('/v1/chat/completions');
    expect(headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(headers)).not.toMatch(/jupyter|x-refine/i);
  });

  it('reports a refused key without the key', async () => {
    const setup = await setServerKey(
      settings,
      'sk-wrong-canary-99999',
      provider.baseUrl
    );
    const text = JSON.stringify(setup);
    expect(text).toContain(`${provider.host} answered with status 401`);
    expect(text).toContain('Enter a valid key in the panel.');
    expect(text).not.toContain('sk-wrong-canary-99999');
  });

  it.each([
    [429, 'rate-limited'],
    [500, 'provider-error'],
    [404, 'model-not-found']
  ])('reports status %s of the provider as %s', async (status, code) => {
    await setServerKey(settings, KEY, provider.baseUrl);
    provider.load({
      key: KEY,
      answers: Array.from({ length: 5 }, () => ({
        fault: { type: 'status' as const, status }
      }))
    });
    const { error } = await failing(model());
    expect(error.code).toBe(code);
    expect(error.message).toContain(provider.host);
  });

  it('learns a parameter that the provider refuses', async () => {
    await setServerKey(settings, KEY, provider.baseUrl);
    provider.load({
      key: KEY,
      answers: [
        {
          text: 'x = 2',
          fault: { type: 'reject', parameters: ['stream_options'] }
        }
      ]
    });
    expect(textOf(await collect(model()))).toContain('x = 2');
  });

  it('says that a provider may forbid calls from pages', async () => {
    const closed = await closedBaseUrl();
    const setup = await setServerKey(settings, KEY, closed);
    expect(JSON.stringify(setup)).toContain('CORS');
  });

  it('refuses what is no web address', async () => {
    await expect(setServerKey(settings, KEY, 'llama')).rejects.toThrow(
      'no web address'
    );
  });
});
