/** One HTTP exchange under the `openai` client: watches its bytes and keeps the reason of its failure. */
import { fromErrorObject, fromStatus } from './errors';
import { abortError, type ModelFailure } from './failure';
import { LifeWatch, Silence } from './lifeWatch';
import type { Where } from '../call/messages';
import { retryAfterMs } from '../call/retryAfter';
import { SseScan } from './sseScan';
import {
  nodeSilence,
  notAnApi,
  stalled,
  streamCut,
  unreachable
} from './transportErrors';
import type { Tuning } from '../call/tuning';
import { sentence } from '../../core/messages/sentence';

export type Fetch = (
  url: string | URL | Request,
  init?: RequestInit
) => Promise<Response>;

const MAX_ERROR_CHARACTERS = 65_536;

/**
 * The client wraps what `fetch` throws in its own ways, so the failure is kept
 * here. The connection is closed by the caller, who aborts the signal of every
 * call that is over, however it ended.
 */
export class Wire {
  constructor(
    private readonly where: Where,
    private readonly baseFetch: Fetch,
    private readonly tuning: Tuning
  ) {
    this.watch = new LifeWatch(tuning);
  }

  readonly watch: LifeWatch;
  readonly scan = new SseScan();

  /** Characters of the answer so far; for messages. */
  characters = 0;

  /** Why the exchange failed; null while it did not. */
  get failure(): ModelFailure | null {
    return this._failure;
  }

  /** To be given to the client. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const controller = new AbortController();
    const abort = () => controller.abort(abortError());
    init.signal?.addEventListener('abort', abort, { once: true });
    if (init.signal?.aborted) {
      abort();
    }
    const { signal } = controller;
    let response: Response;
    try {
      response = await this.watch.wait(
        this.baseFetch(url, { ...init, signal }),
        signal
      );
    } catch (error) {
      throw this._fail(signal, error, () => unreachable(this.where, error));
    }
    return this._check(response, signal);
  };

  private async _check(
    response: Response,
    signal: AbortSignal
  ): Promise<Response> {
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && !/html|json/i.test(type)) {
      return new Response(this._watched(response, signal), {
        status: 200,
        headers: { 'Content-Type': 'text/event-stream' }
      });
    }
    if (response.ok && /html/i.test(type)) {
      throw this._set(notAnApi(this.where, sentence('found.web-page')));
    }
    if (!response.ok) {
      this.watch.closing();
    }
    const body = await this._text(response, signal);
    if (!response.ok) {
      const afterMs = retryAfterMs(response.headers, this.tuning.clock.now());
      throw this._set(fromStatus(this.where, response.status, body, afterMs));
    }
    return this._fromJson(body);
  }

  /** One JSON object, of a server that does not stream, as a stream of one chunk. */
  private _fromJson(body: string): Response {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      throw this._set(streamCut(this.where, 0));
    }
    const fields = value as {
      readonly error?: unknown;
      readonly choices?: readonly { readonly message?: unknown }[];
    } | null;
    if (fields?.error) {
      throw this._set(fromErrorObject(this.where, value));
    }
    if (!Array.isArray(fields?.choices)) {
      throw this._set(notAnApi(this.where, sentence('found.other-json')));
    }
    const chunk = {
      ...fields,
      choices: fields.choices.map(choice => ({
        ...choice,
        delta: choice.message
      }))
    };
    const text = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    this.scan.feed(new TextEncoder().encode(text));
    return new Response(text, {
      status: 200,
      headers: { 'Content-Type': 'text/event-stream' }
    });
  }

  /** A body read whole, within the same limits as a stream. */
  private async _text(
    response: Response,
    signal: AbortSignal
  ): Promise<string> {
    const reader = this._watched(response, signal).getReader();
    const decoder = new TextDecoder();
    let text = '';
    try {
      while (response.ok || text.length < MAX_ERROR_CHARACTERS) {
        const { done, value } = await reader.read();
        if (done) {
          break;
        }
        text += decoder.decode(value, { stream: true });
      }
    } catch (error) {
      if (response.ok || signal.aborted) {
        throw error;
      }
      // The status alone says enough.
      this._failure = null;
    }
    return text;
  }

  private _watched(
    response: Response,
    signal: AbortSignal
  ): ReadableStream<Uint8Array> {
    const reader = response.body?.getReader();
    return new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          if (!reader) {
            controller.close();
            return;
          }
          try {
            const { done, value } = await this.watch.wait(
              reader.read(),
              signal
            );
            if (done) {
              controller.close();
              return;
            }
            this.watch.bytes(this.scan.feed(value));
            controller.enqueue(value);
          } catch (error) {
            const failure = this._fail(signal, error, () =>
              streamCut(this.where, this.characters)
            );
            controller.error(failure);
          }
        },
        cancel: reason => reader?.cancel(reason)
      },
      { highWaterMark: 0 }
    );
  }

  private _fail(
    signal: AbortSignal,
    error: unknown,
    otherwise: () => ModelFailure
  ): Error {
    if (signal.aborted) {
      return abortError();
    }
    const ms = error instanceof Silence ? error.ms : nodeSilence(error);
    return this._set(
      ms === null ? otherwise() : stalled(this.where, ms, this.characters)
    );
  }

  private _set(failure: ModelFailure): ModelFailure {
    this._failure = failure;
    return failure;
  }

  private _failure: ModelFailure | null = null;
}
