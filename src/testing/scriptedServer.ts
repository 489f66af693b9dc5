/**
 * An OpenAI-compatible server that answers from a script, with every fault
 * that a provider can have. Node only; `scriptedServerMain.ts` runs it as a
 * process for tests in other languages.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  errorBody,
  Exchange,
  AnswerPicker,
  chatRequestSchema,
  reply
} from './scripted/reply';
import { scriptSchema, type Script, type ScriptInput } from './scripted/script';

export type { ScriptedAnswer, ScriptInput } from './scripted/script';

/** A base URL on which nothing listens: connections to it are refused. */
export async function closedBaseUrl(): Promise<string> {
  const server = await ScriptedServer.start();
  await server.close();
  return server.baseUrl;
}

/**
 * `GET {baseUrl}/models`, `POST {baseUrl}/chat/completions`, always as a stream.
 * Control: `POST /__script` with a script, `GET /__requests`.
 */
export class ScriptedServer {
  /** Listen on a port of 127.0.0.1; 0 finds a free one. */
  static async start(script: ScriptInput = {}, port = 0) {
    const server = new ScriptedServer(script);
    await new Promise<void>((resolve, reject) => {
      server._http.once('error', reject);
      server._http.listen(port, '127.0.0.1', resolve);
    });
    server._port = (server._http.address() as AddressInfo).port;
    return server;
  }

  private constructor(script: ScriptInput) {
    this._script = scriptSchema.parse(script);
    this._picker = new AnswerPicker(this._script);
    this._http = createServer((request, response) => {
      void this._handle(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
  }

  /** `http://127.0.0.1:<port>`, for the control routes. */
  get url(): string {
    return `http://127.0.0.1:${this._port}`;
  }

  /** What a client takes as OpenAI base URL. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** `127.0.0.1:<port>`. */
  get host(): string {
    return `127.0.0.1:${this._port}`;
  }

  /** The log of requests to the API; control requests are not in it. */
  readonly log = new RequestLog();

  /** Start over with a new script and an empty log. */
  load(script: ScriptInput): void {
    this._script = scriptSchema.parse(script);
    this._picker = new AnswerPicker(this._script);
    this.log.records = [];
  }

  /** Stop listening and drop every connection. */
  close(): Promise<void> {
    return new Promise(resolve => {
      this._http.close(() => resolve());
      this._http.closeAllConnections();
    });
  }

  private async _handle(
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    // As local servers do, so that a web page may call it.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const text = await readText(request);
    const exchange = new Exchange(response);
    if (path.startsWith('/__')) {
      this._control(exchange, `${request.method} ${path}`, text);
      return;
    }
    const body = parseJson(text);
    const record = this.log.add({
      method: request.method ?? '',
      path,
      headers: flatHeaders(request),
      body
    });
    const progress: Progress = change => Object.assign(record, change);
    response.on('close', () =>
      progress({ state: exchange.complete ? 'done' : 'aborted' })
    );
    const { key } = this._script;
    if (key && request.headers.authorization !== `Bearer ${key}`) {
      refuse(exchange, 401);
    } else if (request.method === 'GET' && path === '/v1/models') {
      this._models(exchange);
    } else if (request.method === 'POST' && path === '/v1/chat/completions') {
      await this._chat(exchange, progress, body);
    } else {
      refuse(exchange, 404, `Unknown path ${path}`, 'unknown_url');
    }
  }

  private async _chat(
    exchange: Exchange,
    progress: Progress,
    body: unknown
  ): Promise<void> {
    const chat = chatRequestSchema.safeParse(body);
    if (!chat.success) {
      refuse(exchange, 400, 'No model or no messages.');
      return;
    }
    const { model } = chat.data;
    const { models, onlyListedModels } = this._script;
    if (onlyListedModels && !models.includes(model)) {
      const message = `The model \`${model}\` does not exist or you do not have access to it.`;
      refuse(exchange, 404, message);
      return;
    }
    const answer = this._picker.pick(chat.data);
    if (!answer) {
      const message = 'The script has no answer left for this prompt.';
      refuse(exchange, 400, message, 'script_exhausted');
      return;
    }
    await reply(exchange, answer, chat.data, progress);
  }

  private _models(exchange: Exchange): void {
    exchange.send(200, {
      object: 'list',
      data: this._script.models.map(id => ({
        id,
        object: 'model',
        created: 1700000000,
        owned_by: 'scripted'
      }))
    });
  }

  private _control(exchange: Exchange, route: string, text: string): void {
    if (route === 'GET /__requests') {
      exchange.send(200, this.log.records);
    } else if (route === 'POST /__script') {
      const script = scriptSchema.safeParse(parseJson(text));
      if (script.success) {
        this.load(script.data);
        exchange.send(200, {});
      } else {
        exchange.send(400, errorBody(400, script.error.message));
      }
    } else {
      exchange.send(404, errorBody(404, `Unknown route ${route}`));
    }
  }

  private _script: Script;
  private _picker: AnswerPicker;
  private _port = 0;
  private readonly _http: Server;
}

type Progress = (change: Partial<RequestRecord>) => void;

function refuse(
  exchange: Exchange,
  status: number,
  message?: string,
  code?: string
): void {
  exchange.send(status, errorBody(status, message, code));
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function flatHeaders(
  request: IncomingMessage
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? '')
    ])
  );
}

/** One request, as `GET /__requests` returns it. */
export type RequestRecord = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; null without one or when it is not JSON. */
  readonly body: unknown;
  tokensSent: number;
  /** `open` while it is answered; `aborted` when the client went first. */
  state: 'open' | 'done' | 'aborted';
};

/** Records requests and lets a test wait for what happens to them. */
class RequestLog {
  /** Oldest first. */
  records: RequestRecord[] = [];

  add(
    fields: Pick<RequestRecord, 'method' | 'path' | 'headers' | 'body'>
  ): RequestRecord {
    const record: RequestRecord = {
      ...fields,
      tokensSent: 0,
      state: 'open'
    };
    this.records.push(record);
    return record;
  }

  /** Resolves as soon as `check` holds for the records; rejects after `timeoutMs`. */
  async until(
    check: (records: readonly RequestRecord[]) => boolean,
    timeoutMs = 5000
  ): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (!check(this.records)) {
      if (Date.now() > end) {
        throw new Error(
          `Not seen within ${timeoutMs} ms. Requests: ${JSON.stringify(this.records)}`
        );
      }
      await new Promise(done => setTimeout(done, 5));
    }
  }
}
