/** @jest-environment node */
/** server.ts → a real Jupyter server with our extension → the scripted provider. */
import type { RefineErrorCode } from '../../core/errors';
import type { ILanguageModel, ModelRequest } from '../../core/domain/model';
import {
  ScriptedServer,
  type ScriptedAnswer
} from '../../testing/scriptedServer';
import { JupyterServer } from '../../kernel/__tests__/jupyterServer';
import { listProfiles, serverModel, setServerKey } from '../server';
import { collect, failing, FIB, REQUEST, SHORT, textOf } from './support';

const KEY = 'sk-canary-ServerKey0123456789';
const PANEL_KEY = 'sk-canary-PanelKey0123456789';

let provider: ScriptedServer;
let jupyter: JupyterServer;
/** All that the client received; searched for the keys at the end. */
const received: string[] = [];

beforeAll(async () => {
  provider = await ScriptedServer.start();
  jupyter = await JupyterServer.start(
    [
      `--Refine.profiles=[{'name': 'work', 'base_url': '${provider.baseUrl}', 'api_key_env': 'REFINE_TEST_KEY', 'models': ['scripted-model'], 'default_model': 'scripted-model'}]`,
      '--debug',
      '--Refine.keep_alive=0.2',
      '--Refine.first_token_timeout=2.0',
      '--Refine.stall_timeout=0.5'
    ],
    { REFINE_TEST_KEY: KEY }
  );
}, 90_000);

afterAll(async () => {
  await jupyter?.stop();
  await provider?.close();
}, 30_000);

function modelOf(profile = 'work'): ILanguageModel {
  return serverModel({
    settings: jupyter.settings,
    profile,
    model: 'scripted-model',
    host: provider.host,
    recorded: false,
    tuning: SHORT
  });
}

function script(answer: ScriptedAnswer): void {
  provider.load({ answers: [answer], key: KEY, onlyListedModels: true });
}

async function run(model = modelOf(), request: ModelRequest = REQUEST) {
  const events = await collect(model, request);
  received.push(JSON.stringify(events));
  return events;
}

async function errorOf() {
  const { error, events } = await failing(modelOf());
  received.push(
    JSON.stringify([
      events,
      error.message,
      error.details,
      String(error.stack),
      String(error.cause)
    ])
  );
  return error;
}

describe('through a real Jupyter server', () => {
  it('lists the profiles, without their key', async () => {
    const setup = await listProfiles(jupyter.settings);
    received.push(JSON.stringify(setup));
    expect(setup).toMatchObject({
      status: 'ready',
      identity: {
        profile: 'work',
        model: 'scripted-model',
        host: provider.host,
        recorded: false
      }
    });
    expect(
      'profiles' in setup && setup.profiles.map(({ name }) => name)
    ).toEqual(['work', 'demo']);
  });

  it('streams an answer as it is written; the server adds the key', async () => {
    script({
      text: FIB,
      tokensPerSecond: 40,
      usage: { prompt: 7, completion: 11 }
    });
    let first = 0;
    let text = '';
    for await (const event of modelOf().generate(
      REQUEST,
      new AbortController().signal
    )) {
      first ||= event.type === 'text' ? Date.now() : 0;
      text += event.type === 'text' ? event.text : '';
      if (event.type === 'end') {
        expect(event.usage).toMatchObject({
          promptTokens: 7,
          completionTokens: 11,
          estimated: false
        });
      }
    }
    expect(text).toBe(FIB);
    expect(Date.now() - first).toBeGreaterThan(100);
    expect(provider.log.records[0].headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(provider.log.records[0].headers)).not.toContain(
      'integration-test'
    );
  });
});

describe('a fault of the provider, through a real Jupyter server', () => {
  it.each<[RefineErrorCode, string, ScriptedAnswer, number]>([
    [
      'unauthorized',
      '401',
      {
        times: 0,
        fault: { type: 'status', status: 401, message: `Bad key ${KEY}` }
      },
      1
    ],
    [
      'stalled',
      'silence in the middle',
      { times: 0, text: FIB, fault: { type: 'stall', afterTokens: 3 } },
      1
    ],
    [
      'stream-cut',
      'a reset in the middle',
      { times: 0, text: FIB, fault: { type: 'cut', afterTokens: 3 } },
      3
    ],
    [
      'provider-error',
      'an error in the stream',
      {
        times: 0,
        text: FIB,
        fault: {
          type: 'stream-error',
          afterTokens: 3,
          error: { message: 'boom', code: 500 }
        }
      },
      3
    ]
  ])(
    '%s: %s',
    async (code, _, answer, calls) => {
      script(answer);
      const error = await errorOf();
      expect(error).toMatchObject({ kind: 'model', code });
      expect(error.message).toContain(provider.host);
      expect(error.message).toContain('scripted-model');
      expect(provider.log.records).toHaveLength(calls);
    },
    20_000
  );

  it('a refused parameter is dropped', async () => {
    script({
      text: FIB,
      fault: {
        type: 'reject',
        parameters: ['temperature', 'stream_options', 'max_tokens'],
        style: 'openai'
      }
    });
    const events = await run(modelOf(), {
      ...REQUEST,
      temperature: 0.1,
      maxOutputTokens: 99
    });
    expect(textOf(events)).toBe(FIB);
    expect(provider.log.records.at(-1)?.body).toEqual({
      model: 'scripted-model',
      messages: REQUEST.messages,
      stream: true,
      max_completion_tokens: 99,
      return_progress: true
    });
  });
});

describe('keys', () => {
  it('typed into the panel go to the server, then the provider', async () => {
    provider.load({ key: PANEL_KEY, answers: [{ text: FIB }] });
    const setup = await setServerKey(
      jupyter.settings,
      PANEL_KEY,
      provider.baseUrl
    );
    received.push(JSON.stringify(setup));
    expect(setup).toMatchObject({
      status: 'ready',
      identity: { profile: 'panel' }
    });
    expect(textOf(await run(modelOf('panel')))).toBe(FIB);
  });

  it('are in nothing the client received, and in no server log', () => {
    expect(received.length).toBeGreaterThan(5);
    expect(jupyter.log).toContain('chat/completions');
    for (const text of [...received, jupyter.log]) {
      expect(text).not.toContain('canary');
    }
  });
});

describe('a Jupyter server without our extension', () => {
  it('has no routes: says to restart it', async () => {
    const old = await JupyterServer.start();
    try {
      expect(await listProfiles(old.settings)).toEqual({ status: 'no-routes' });
      const model = serverModel({
        settings: old.settings,
        profile: 'work',
        model: 'm',
        host: 'h',
        recorded: false
      });
      const { error } = await failing(model);
      expect(error).toMatchObject({ kind: 'server', code: 'routes-missing' });
    } finally {
      await old.stop();
    }
  }, 90_000);
});
