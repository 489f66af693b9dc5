/** @jest-environment node */
import type { ServerResponse } from 'node:http';
import type { RefineErrorCode } from '../../core/errors';
import type { ILanguageModel } from '../../core/domain/model';
import { serverModel } from '../server';
import { JupyterStub, json } from './jupyterStub';
import { collect, failing, REQUEST, SHORT, textOf } from './support';

const HELLO =
  'data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

let stub: JupyterStub;
afterEach(() => stub.close());

function modelOf(recorded = false): ILanguageModel {
  return serverModel({
    settings: stub.settings,
    profile: 'work',
    model: 'gpt-x',
    host: 'api.example.org',
    recorded,
    tuning: SHORT
  });
}

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.end(text);
}

const errorBody = (code: string, more: object = {}) => ({
  error: { message: `api.example.org: ${code}.`, code, status: 400, ...more }
});

describe('a model of the server', () => {
  it('calls our route with profile and token, without a key', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-canary-in-environment';
    process.env['OPENAI_CUSTOM_HEADERS'] = 'X-Secret: sk-canary-header';
    stub = await JupyterStub.start(response => stream(response, HELLO));
    try {
      expect(textOf(await collect(modelOf()))).toBe('hello');
    } finally {
      delete process.env['OPENAI_API_KEY'];
      delete process.env['OPENAI_CUSTOM_HEADERS'];
    }
    const [{ method, path, headers, body }] = stub.requests;
    expect([method, path]).toEqual([
      'POST',
      '/jupyterlab-refine/v1/chat/completions'
    ]);
    expect(headers).toMatchObject({
      authorization: 'token jupyter-token',
      'x-refine-profile': 'work',
      'content-type': 'application/json'
    });
    expect(JSON.stringify(headers)).not.toMatch(/canary|stainless|bearer/i);
    expect(JSON.parse(body)).toEqual({
      model: 'gpt-x',
      messages: REQUEST.messages,
      stream: true,
      stream_options: { include_usage: true }
    });
  });

  it('calls fetch as a function, as browsers require', async () => {
    stub = await JupyterStub.start(response => stream(response, HELLO));
    const browserFetch = function (
      this: unknown,
      ...args: Parameters<typeof fetch>
    ): Promise<Response> {
      if (this !== undefined && this !== null) {
        throw new TypeError('Illegal invocation');
      }
      return fetch(...args);
    };
    stub.settings = { ...stub.settings, fetch: browserFetch };
    expect(textOf(await collect(modelOf()))).toBe('hello');
  });

  it('works under the base URL of a hub', async () => {
    stub = await JupyterStub.start(
      response => stream(response, HELLO),
      '/user/me/'
    );
    await collect(modelOf());
    expect(stub.requests[0].path).toBe(
      '/user/me/jupyterlab-refine/v1/chat/completions'
    );
  });

  it('passes a stop on to the server', async () => {
    let closed = false;
    stub = await JupyterStub.start(response => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': keep-alive\n\n');
      response.on('close', () => {
        closed = true;
      });
      setTimeout(() => controller.abort(), 20);
    });
    const controller = new AbortController();
    await expect(
      collect(modelOf(), REQUEST, controller.signal)
    ).rejects.toMatchObject({ name: 'AbortError' });
    const start = Date.now();
    while (!closed && Date.now() - start < 1000) {
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    expect(closed).toBe(true);
  });
});

const CODES: readonly (readonly [RefineErrorCode, number, number])[] = [
  ['unauthorized', 424, 401],
  ['model-not-found', 404, 404],
  ['stalled', 504, 504],
  ['context-too-long', 400, 400],
  ['no-model', 400, 400],
  ['demo-only', 400, 400]
];

describe('an error that our server wrote', () => {
  it.each(CODES)(
    '%s, before the stream or inside it: code, message, model; no retry',
    async (code, http, status) => {
      const body = errorBody(code, { status });
      for (const answer of [
        (response: ServerResponse) => json(response, http, body),
        (response: ServerResponse) =>
          stream(response, `: keep-alive\n\ndata: ${JSON.stringify(body)}\n\n`)
      ]) {
        await stub?.close();
        stub = await JupyterStub.start(answer);
        const { error } = await failing(modelOf());
        expect(error).toMatchObject({ kind: 'model', code });
        expect(error.message).toContain(`api.example.org: ${code}.`);
        expect(error.message).toContain('gpt-x');
        expect(stub.requests).toHaveLength(1);
      }
    }
  );

  it('a daily limit is reported, not waited for', async () => {
    stub = await JupyterStub.start(response =>
      json(
        response,
        429,
        errorBody('rate-limited', { status: 429, retryAfterMs: 9e6 })
      )
    );
    const { error } = await failing(modelOf());
    expect(error.code).toBe('rate-limited');
    expect(stub.requests).toHaveLength(1);
  });
});

describe('an answer of Jupyter itself', () => {
  it('403: sign in again', async () => {
    stub = await JupyterStub.start(response =>
      json(response, 403, { message: 'Forbidden', reason: null })
    );
    const { error } = await failing(modelOf());
    expect(error).toMatchObject({ kind: 'server', code: 'unauthorized' });
    expect(error.message).toMatch(/Jupyter server refused the request \(403\)/);
  });

  it('a login page with status 200', async () => {
    stub = await JupyterStub.start(response => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end('<html>Log in</html>');
    });
    const { error } = await failing(modelOf());
    expect(error.code).toBe('not-an-api');
    expect(error.message).toContain('sign in again');
  });

  it('502 of a hub’s proxy is made again', async () => {
    stub = await JupyterStub.start(response => {
      if (stub.requests.length > 1) {
        stream(response, HELLO);
        return;
      }
      response.writeHead(502, { 'Content-Type': 'text/html' });
      response.end('<html>Bad Gateway</html>');
    });
    expect(textOf(await collect(modelOf()))).toBe('hello');
  });
});
