/** @jest-environment node */
import { closedBaseUrl } from '../../testing/scriptedServer';
import { fetchProfiles, listProfiles, setServerKey } from '../server';
import { JupyterStub, json } from './jupyterStub';

const BODY = {
  version: '0.1.0',
  default: { profile: 'openai', model: 'gpt-4o-mini' },
  hints: ['ollama pull qwen2.5-coder'],
  profiles: [
    {
      name: 'openai',
      host: 'api.openai.com',
      models: ['gpt-4o-mini'],
      defaultModel: 'gpt-4o-mini',
      demo: false,
      error: null,
      prices: { 'gpt-4o-mini': { input: 0.15, output: 0.6 } },
      contexts: {}
    },
    {
      name: 'demo',
      host: '',
      models: ['demo'],
      defaultModel: 'demo',
      demo: true,
      error: null,
      prices: null,
      contexts: {}
    }
  ],
  policy: {
    allowKeyFromPanel: false,
    allowBaseUrlFromPanel: true,
    refineGradedCells: true,
    maxAttempts: 3,
    maxTokens: null,
    sessionTimeout: 60,
    dailyTokenLimit: 500000,
    dailyTokensUsed: 12,
    keyVariables: ['CAMPUS_KEY']
  }
};

let stub: JupyterStub;
afterEach(() => stub.close());

describe('listProfiles', () => {
  it('is ready with the server’s default model', async () => {
    stub = await JupyterStub.start(response => json(response, 200, BODY));
    const setup = await listProfiles(stub.settings);
    expect(setup).toEqual({
      status: 'ready',
      identity: {
        profile: 'openai',
        model: 'gpt-4o-mini',
        host: 'api.openai.com',
        recorded: false
      },
      profiles: BODY.profiles,
      server: BODY
    });
    expect(stub.requests[0]).toMatchObject({
      method: 'GET',
      path: '/jupyterlab-refine/v1/profiles'
    });
  });

  it('without our routes: no-routes', async () => {
    stub = await JupyterStub.start(response => {
      response.writeHead(404);
      response.end('<html></html>');
    });
    expect(await listProfiles(stub.settings)).toEqual({ status: 'no-routes' });
  });

  it.each([
    ['another shape', { profiles: 3 }],
    ['a list', []]
  ])('of %s: an error that says what to do', async (_, body) => {
    stub = await JupyterStub.start(response => json(response, 200, body));
    expect(await listProfiles(stub.settings)).toEqual({
      status: 'error',
      message: expect.stringContaining(
        'Restart the server and reload'
      ) as string
    });
  });

  it('of a server that is gone: an error', async () => {
    stub = await JupyterStub.start(response => response.end());
    const baseUrl = (await closedBaseUrl()).replace('/v1', '/');
    const settings = { ...stub.settings, baseUrl };
    expect(await listProfiles(settings)).toMatchObject({
      status: 'error',
      message: expect.stringContaining(
        'Cannot reach the Jupyter server'
      ) as string
    });
    await expect(fetchProfiles(settings)).rejects.toMatchObject({
      kind: 'server',
      code: 'unreachable'
    });
  });
});

it('setServerKey rejects with the server’s reason', async () => {
  stub = await JupyterStub.start(response =>
    json(response, 403, {
      error: { message: 'Policy forbids it.', code: 'other', status: 403 }
    })
  );
  await expect(setServerKey(stub.settings, 'key', null)).rejects.toMatchObject({
    kind: 'server',
    message: 'Policy forbids it.'
  });
});
