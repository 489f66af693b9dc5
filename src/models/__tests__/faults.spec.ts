/** @jest-environment node */
import { RefineError } from '../../core/errors';
import {
  closedBaseUrl,
  type ScriptedAnswer
} from '../../testing/scriptedServer';
import { directModel } from '../direct';
import { Bench, collect, failing, FIB, KEY, SHORT } from './support';

let bench: Bench;
let logged: jest.SpyInstance;

// Before any call: the client keeps the console that it finds at its first one.
beforeAll(() => {
  logged = jest.spyOn(console, 'error').mockImplementation();
});
afterEach(async () => {
  await bench.server.close();
  // What it would print are bodies, and with them notebooks.
  expect(logged).not.toHaveBeenCalled();
});
afterAll(() => logged.mockRestore());

async function errorOf(answer: ScriptedAnswer, model?: string) {
  bench = await Bench.open([{ times: 0, ...answer }]);
  const { error } = await failing(bench.model({ maxRetries: 0 }, { model }));
  expect(error).toBeInstanceOf(RefineError);
  expect(error.message).toContain(bench.server.host);
  return error;
}

const status = (
  code: number,
  more: Partial<Extract<ScriptedAnswer['fault'], { type: 'status' }>> = {}
): ScriptedAnswer => ({ fault: { type: 'status', status: code, ...more } });

describe('a provider that refuses', () => {
  it('401: names the host, the model and where to set the key', async () => {
    const error = await errorOf(status(401));
    expect(error).toMatchObject({
      kind: 'model',
      code: 'unauthorized',
      details: { numbers: { status: 401 } }
    });
    expect(error.message).toMatch(
      /refused the key \(401\) for model scripted-model/
    );
    expect(error.message).toContain('OPENAI_API_KEY');
  });

  it('401: shows neither our key nor the one that the provider quotes', async () => {
    const error = await errorOf(
      status(401, {
        message: `Incorrect API key provided: ${KEY}. Header was "Authorization: Bearer ${KEY}", also sk-****wxyz9876.`
      })
    );
    const everything = [
      error.message,
      String(error.stack),
      String(error.cause),
      JSON.stringify(error)
    ];
    for (const text of everything) {
      expect(text).not.toContain('canary');
      expect(text).not.toContain('wxyz9876');
    }
    expect(error.message).toContain('[key]');
  });

  it('403: the key may not use the model', async () => {
    const error = await errorOf(status(403));
    expect(error.code).toBe('unauthorized');
    expect(error.message).toMatch(
      /does not allow the use of model scripted-model.*\(403\)/
    );
  });

  it('404 for a model: says which, and that another can be chosen', async () => {
    bench = await Bench.open([], { onlyListedModels: true });
    const { error } = await failing(bench.model({}, { model: 'gpt-nowhere' }));
    expect(error.code).toBe('model-not-found');
    expect(error.message).toMatch(
      /no model gpt-nowhere \(404\)\. Choose another model/
    );
  });

  it('404 for the path: the base URL is wrong', async () => {
    bench = await Bench.open();
    const model = directModel({
      baseUrl: `${bench.server.url}/elsewhere`,
      apiKey: null,
      model: 'm',
      tuning: SHORT
    });
    const { error } = await failing(model);
    expect(error.code).toBe('not-an-api');
    expect(error.message).toContain('usually ends with /v1');
  });

  it('429 for a used-up quota: says so and is not made again', async () => {
    bench = await Bench.open([
      {
        times: 0,
        ...status(429, {
          code: 'insufficient_quota',
          message: 'You exceeded your current quota, please check your plan.'
        })
      }
    ]);
    const { error } = await failing(bench.model());
    expect(error.code).toBe('rate-limited');
    expect(error.message).toMatch(/quota of this key .* is used up \(429/);
    expect(bench.server.log.records).toHaveLength(1);
  });

  it('429 tells when to try again', async () => {
    const error = await errorOf(status(429, { retryAfter: 90 }));
    expect(error).toMatchObject({
      code: 'rate-limited',
      details: { numbers: { status: 429, retryAfterMs: 90_000 } }
    });
    expect(error.message).toContain('Try again in 90 s');
  });

  it.each([500, 502, 503])('%i: the provider failed', async code => {
    const error = await errorOf(status(code));
    expect(error).toMatchObject({
      code: 'provider-error',
      details: { numbers: { status: code } }
    });
    expect(error.message).toContain(`failed (${code})`);
  });

  it('502 with a page of a proxy: no HTML in the message', async () => {
    const error = await errorOf(
      status(502, {
        body: '<html><body><h1>Bad Gateway</h1></body></html>',
        contentType: 'text/html'
      })
    );
    expect(error.code).toBe('provider-error');
    expect(error.message).not.toContain('<');
  });

  it('400 that is about no parameter: quotes the reason and is not made again', async () => {
    bench = await Bench.open([
      { times: 0, ...status(400, { message: 'Invalid role.' }) }
    ]);
    const { error } = await failing(bench.model());
    expect(error.code).toBe('bad-request');
    expect(error.message).toContain('It says: "Invalid role."');
    expect(bench.server.log.records).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer]>([
    [
      'OpenAI',
      { fault: { type: 'context-length', limit: 4096, requested: 5123 } }
    ],
    [
      'llama.cpp',
      status(400, {
        message:
          'the request exceeds the available context size, try increasing it'
      })
    ],
    [
      'Anthropic',
      status(400, {
        message: 'prompt is too long: 210000 tokens > 200000 maximum'
      })
    ]
  ])('400 for a prompt that is too long, as %s words it', async (_, answer) => {
    const error = await errorOf(answer);
    expect(error.code).toBe('context-too-long');
    expect(error.message).toContain('contextBudget');
  });

  it('tells the numbers of a prompt that is too long', async () => {
    const error = await errorOf({
      fault: { type: 'context-length', limit: 4096, requested: 5123 }
    });
    expect(error.message).toContain('4096 tokens at most, 5123 sent');
  });

  it.each<[string, string]>([
    ['a text instead of an object', '{"error": "model \\"x\\" is loading"}'],
    [
      'a list, as Gemini',
      '[{"error": {"code": 503, "message": "model \\"x\\" is loading"}}]'
    ],
    ['FastAPI', '{"detail": "model \\"x\\" is loading"}'],
    ['plain text', 'model "x" is loading']
  ])('reads errors written as %s', async (_, body) => {
    const error = await errorOf(status(503, { body }));
    expect(error.message).toContain('It says: "model "x" is loading"');
  });
});

describe('no answer of an API', () => {
  it('connection refused: says so, and what to check', async () => {
    bench = await Bench.open();
    const baseUrl = await closedBaseUrl();
    const { error, events } = await failing(
      directModel({ baseUrl, apiKey: KEY, model: 'm', tuning: SHORT })
    );
    expect(error.code).toBe('unreachable');
    expect(error.message).toMatch(
      /Cannot reach 127\.0\.0\.1:\d+ .*connection was refused\. Check that it runs/
    );
    expect(events).toEqual([]);
  });

  it('an unknown host name', async () => {
    bench = await Bench.open();
    const model = directModel({
      baseUrl: 'http://no-such-host.invalid/v1',
      apiKey: KEY,
      model: 'm',
      tuning: SHORT
    });
    const { error } = await failing(model);
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('no-such-host.invalid');
  });

  it('a login page with status 200', async () => {
    const error = await errorOf({ fault: { type: 'login-page' } });
    expect(error).toMatchObject({
      code: 'not-an-api',
      details: { numbers: { status: 200 } }
    });
    expect(error.message).toMatch(/answered with a web page .*\(status 200\)/);
    expect(error.message).not.toContain('<');
  });

  it.each<[string, string]>([
    ['a page in disguise', 'text/plain'],
    ['a page of an event stream', 'text/event-stream']
  ])('%s', async (_, contentType) => {
    bench = await Bench.open();
    const page = async () =>
      new Response('<!DOCTYPE html>\n<html><body>Sign in</body></html>', {
        headers: { 'Content-Type': contentType }
      });
    const original = globalThis.fetch;
    globalThis.fetch = page;
    try {
      const { error } = await failing(bench.model());
      expect(error.code).toBe('not-an-api');
    } finally {
      globalThis.fetch = original;
    }
  });
});

describe('a stream that breaks', () => {
  it.each([0, 4])('reset after %i tokens', async afterTokens => {
    const error = await errorOf({
      text: FIB,
      fault: { type: 'cut', afterTokens }
    });
    expect(error.code).toBe('stream-cut');
    expect(error.details.numbers).toEqual({ characters: afterTokens * 4 });
    expect(error.message).toContain(
      `broke off after ${afterTokens * 4} characters`
    );
  });

  it.each([0, 4])(
    'ends without finish reason and [DONE] after %i tokens',
    async afterTokens => {
      const error = await errorOf({
        text: FIB,
        fault: { type: 'cut', afterTokens, clean: true }
      });
      expect(error.code).toBe('stream-cut');
      expect(error.details.numbers).toEqual({ characters: afterTokens * 4 });
    }
  );

  it('a line that is not JSON', async () => {
    const error = await errorOf({
      text: FIB,
      fault: { type: 'malformed', afterTokens: 2 }
    });
    expect(error.code).toBe('stream-cut');
    expect(error.message).toContain('became unreadable after 8 characters');
  });

  it.each<[string, unknown, string]>([
    [
      'a failure',
      { message: 'CUDA out of memory', code: 500 },
      'provider-error'
    ],
    ['a text', 'upstream died', 'provider-error'],
    [
      'a rate limit',
      { message: 'Slow down', code: 'rate_limit_exceeded' },
      'rate-limited'
    ],
    [
      'a refused key',
      { message: 'No', code: 'invalid_api_key' },
      'unauthorized'
    ],
    [
      'too long a prompt',
      { message: 'x', code: 'context_length_exceeded' },
      'context-too-long'
    ]
  ])('an error object inside: %s', async (_, error, code) => {
    expect(
      (
        await errorOf({
          text: FIB,
          fault: { type: 'stream-error', afterTokens: 2, error }
        })
      ).code
    ).toBe(code);
  });

  it('an error object with status 200 and no stream', async () => {
    bench = await Bench.open();
    const original = globalThis.fetch;
    globalThis.fetch = async () =>
      Response.json({
        error: { message: 'No such model', code: 'model_not_found' }
      });
    try {
      const { error } = await failing(bench.model());
      expect(error.code).toBe('model-not-found');
    } finally {
      globalThis.fetch = original;
    }
  });
});

describe('every failure', () => {
  it('leaves the model usable', async () => {
    bench = await Bench.open([status(401), { text: FIB }]);
    const model = bench.model();
    await failing(model);
    expect((await collect(model)).at(-1)).toMatchObject({ type: 'end' });
  });
});
