/** One exchange with our server under the `openai` client: keeps the reason of its failure. */
import {
  abortError,
  fromStatus,
  notAnApi,
  stalled,
  streamCut,
  unreachable,
  type ModelFailure,
  type Where
} from './failures';
import type { Tuning } from '../call/parameters';

export type Fetch = (
  url: string | URL | Request,
  init?: RequestInit
) => Promise<Response>;

/** Our server sends comments while a provider is silent, and ends a call that stalls: only its own silence is left. */
class Silence extends Error {}

/**
 * The client wraps what `fetch` throws in its own ways, so the failure is kept
 * here. The connection is closed by the caller, who aborts the signal of every
 * call that is over, however it ended.
 */
export class Wire {
  constructor(
    private readonly where: Where,
    private readonly baseFetch: Fetch,
    private readonly tuning: Pick<Tuning, 'silenceMs'>
  ) {}

  /** Characters of the answer so far; for messages. */
  characters = 0;

  /** Why the exchange failed; null while it did not. */
  failure: ModelFailure | null = null;

  /** The last bytes of the stream. */
  get isDone(): boolean {
    return /data: \[DONE\]\s*$/.test(this._tail);
  }

  /** To be given to the client. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const signal = init.signal ?? null;
    let response: Response;
    try {
      response = await this._alive(this.baseFetch(url, init));
    } catch (error) {
      throw this._fail(signal, error, () => unreachable(this.where, error));
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && !/event-stream/i.test(type)) {
      throw this._set(notAnApi(this.where, 'a web page'));
    }
    if (!response.ok) {
      // The status alone says enough.
      const body = await this._alive(response.text()).catch(() => '');
      throw this._set(fromStatus(this.where, response.status, body));
    }
    return new Response(this._watched(response, signal), {
      headers: { 'Content-Type': 'text/event-stream' }
    });
  };

  private _watched(
    { body }: Response,
    signal: AbortSignal | null
  ): ReadableStream<Uint8Array> {
    const reader = body?.getReader();
    const decoder = new TextDecoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          try {
            const read = reader && (await this._alive(reader.read()));
            if (!read || read.done) {
              controller.close();
              return;
            }
            const text = decoder.decode(read.value, { stream: true });
            this._tail = (this._tail + text.replace(/^:.*$/gm, '')).slice(-32);
            controller.enqueue(read.value);
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

  private async _alive<T>(operation: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silent = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Silence()), this.tuning.silenceMs);
    });
    try {
      return await Promise.race([operation, silent]);
    } finally {
      clearTimeout(timer);
    }
  }

  private _fail(
    signal: AbortSignal | null,
    error: unknown,
    otherwise: () => ModelFailure
  ): Error {
    if (signal?.aborted) {
      return abortError();
    }
    return this._set(
      error instanceof Silence
        ? stalled(this.where, this.tuning.silenceMs)
        : otherwise()
    );
  }

  private _set(failure: ModelFailure): ModelFailure {
    this.failure = failure;
    return failure;
  }

  private _tail = '';
}
