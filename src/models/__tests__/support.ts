/** What the specs of this room share: short limits and ways to collect events. */
import type { RefineError, RefineErrorCode } from '../../core/errors';
import type {
  ILanguageModel,
  ModelEvent,
  ModelRequest
} from '../../core/domain/model';
import {
  ScriptedServer,
  type ScriptedAnswer,
  type ScriptInput
} from '../../testing/scriptedServer';
import { ServerConnection } from '@jupyterlab/services';
import { serverModel, type ServerModelOptions } from '../server';
import type { Tuning } from '../call/chatModel';

/** Waits short enough for a test. */
export const SHORT: Partial<Tuning> = {
  backoffMs: 5,
  maxBackoffMs: 20
};

export const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'You write Python.' },
    { role: 'user', content: 'Write fib(n).' }
  ]
};

export const FIB = '```python\ndef fib(n):\n    return n\n```';

/** The codes that our server gives to a provider's statuses (tests/server/test_faults.py). */
const CODES: Readonly<Record<number, RefineErrorCode>> = {
  400: 'bad-request',
  401: 'unauthorized',
  404: 'model-not-found',
  422: 'bad-request',
  429: 'rate-limited'
};

/** A scripted server that stands for ours, and models that call it with a memory of their own. */
export class Bench {
  static async open(
    answers: readonly ScriptedAnswer[] = [],
    script: ScriptInput = {}
  ) {
    const server = await ScriptedServer.start({
      ...script,
      answers: [...answers]
    });
    return new Bench(server);
  }

  private constructor(readonly server: ScriptedServer) {}

  model(
    tuning: Partial<Tuning> = {},
    options: Partial<ServerModelOptions> = {}
  ): ILanguageModel {
    return serverModel({
      settings: ServerConnection.makeSettings({
        baseUrl: this.server.url,
        fetch: request => this._fetch(request as Request)
      }),
      profile: 'work',
      host: this.server.host,
      model: 'scripted-model',
      recorded: false,
      tuning: { ...SHORT, ...tuning },
      ...options
    });
  }

  /** Bodies of all requests so far. */
  get bodies(): readonly Record<string, unknown>[] {
    return this.server.log.records.map(
      ({ body }) => body as Record<string, unknown>
    );
  }

  /** As our server does: an error gets one of our codes. */
  private async _fetch(request: Request): Promise<Response> {
    const { method, headers, signal } = request;
    const body = await request.text();
    const url = `${this.server.baseUrl}/chat/completions`;
    const response = await fetch(url, { method, headers, signal, body });
    const { status } = response;
    if (
      !/json/.test(response.headers.get('content-type') ?? '') ||
      response.ok
    ) {
      return response;
    }
    const { error } = (await response.json()) as {
      readonly error: { readonly message: string; readonly param?: string };
    };
    const code = CODES[status] ?? 'provider-error';
    const { message, param } = error;
    const after = response.headers.get('retry-after');
    const retryAfterMs = after === null ? null : Number(after) * 1000;
    return Response.json(
      {
        error: {
          message: `${status}: ${message}`,
          param,
          code: /load/.test(message) ? 'loading' : code,
          status,
          retryAfterMs
        }
      },
      { status, headers: response.headers }
    );
  }
}

export async function collect(
  model: ILanguageModel,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = new AbortController().signal
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.generate(request, signal)) {
    events.push(event);
  }
  return events;
}

/** The joined text of all events of a type, without what a retry voided. */
export function textOf(
  events: readonly ModelEvent[],
  type: 'text' | 'reasoning' = 'text'
): string {
  const last = events.map(event => event.type).lastIndexOf('retry');
  return events
    .slice(last + 1)
    .map(event => (event.type === type ? event.text : ''))
    .join('');
}

export function ofType<Type extends ModelEvent['type']>(
  events: readonly ModelEvent[],
  type: Type
): readonly Extract<ModelEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<ModelEvent, { type: Type }> => event.type === type
  );
}

/** The error that a call ends with, and the events before it. */
export async function failing(
  model: ILanguageModel,
  request: ModelRequest = REQUEST
): Promise<{
  readonly error: RefineError;
  readonly events: readonly ModelEvent[];
}> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.generate(
      request,
      new AbortController().signal
    )) {
      events.push(event);
    }
  } catch (error) {
    return { error: error as RefineError, events };
  }
  throw new Error(`No error; events: ${JSON.stringify(events)}`);
}
