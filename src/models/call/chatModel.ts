/** A language model over the `openai` client's streaming chat completions. */
import type OpenAI from 'openai';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelPrices,
  ModelRequest,
  Usage
} from '../../core/domain/model';
import { RefineError } from '../../core/errors';
import {
  abortError,
  fromErrorObject,
  fromStatus,
  ModelFailure,
  notAnApi,
  quote,
  streamCut,
  unreachable,
  type Where
} from '../transport/failures';
import {
  learnRefusal,
  parametersFor,
  type OptionalParameters
} from './parameters';
import { systemClock, type IClock } from '../../core/clock';
import { duration } from '../../core/text/english';
import { estimatePrompt, tokensOf } from '../../core/session/budget/budget';

export type Fetch = (
  url: string | URL | Request,
  init?: RequestInit
) => Promise<Response>;

/** Where a model is and how it is reached. */
type Endpoint = {
  readonly identity: ModelIdentity;
  /** Absolute URL that `/chat/completions` is appended to. */
  readonly baseURL: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Null: unknown here. */
  readonly prices: ModelPrices | null;
};

/** Retry bounds of model calls. Tests inject short ones. */
const TUNING = {
  /** Calls made again after a failure that may pass. */
  maxRetries: 2,
  /** First wait before a retry; doubled each time. */
  backoffMs: 500,
  maxBackoffMs: 8_000,
  /** A provider that asks for a longer wait is not asked again. */
  maxRetryAfterMs: 60_000,
  /** Nor one that asks for more than this in all, until it answers. */
  maxWaitMs: 300_000,
  clock: systemClock as IClock
};

export type Tuning = Readonly<typeof TUNING>;

/** The longest delay a timer takes: the client's own time limit is never the one that ends a call. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export class ChatModel implements ILanguageModel {
  constructor(
    private readonly endpoint: Endpoint,
    tuning: Partial<Tuning> = {}
  ) {
    this.identity = endpoint.identity;
    this.prices = endpoint.prices;
    this._tuning = { ...TUNING, ...tuning };
  }

  readonly identity: ModelIdentity;
  readonly prices: ModelPrices | null;

  async *generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncGenerator<ModelEvent> {
    const { clock } = this._tuning;
    const start = clock.now();
    for (let retries = 0; ;) {
      if (signal.aborted) {
        throw abortError();
      }
      const parameters = parametersFor(this.identity, request);
      const answer = new Answer(request);
      try {
        yield* this._call(request, parameters, signal, answer);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ModelFailure)) {
          throw signal.aborted ? abortError() : error;
        }
        const { refusal } = error.facts;
        const fixed =
          refusal && learnRefusal(this.identity, parameters, refusal);
        if (fixed) {
          yield { type: 'warning', message: fixed };
          continue;
        }
        const sinceMs = clock.now() - start;
        const delayMs = retryDelay(error, retries, sinceMs, this._tuning);
        if (delayMs === null) {
          throw afterRetries(error, retries, sinceMs, answer.used);
        }
        retries += 1;
        yield {
          type: 'retry',
          reason: error.reason,
          delayMs,
          usage: answer.used
        };
        await clock.sleep(delayMs, signal).catch(() => {
          throw abortError();
        });
      }
    }
  }

  private async *_call(
    request: ModelRequest,
    parameters: OptionalParameters,
    signal: AbortSignal,
    answer: Answer
  ): AsyncGenerator<ModelEvent> {
    const controller = new AbortController();
    const ended = AbortSignal.any([signal, controller.signal]);
    try {
      yield* this._read(await this._open(request, parameters, ended), answer);
    } finally {
      // However the call ended, also when the reader stops reading: the provider must not continue.
      controller.abort();
    }
    const refusal = refused(this.identity, answer.finish, answer.refusal);
    if (refusal || answer.finish === null) {
      throw refusal ?? streamCut(this.identity, answer.characters);
    }
    const cut = this.identity.recorded
      ? null
      : cutPromptWarning(request, answer.usage, this.identity.model);
    if (cut !== null) {
      yield { type: 'warning', message: cut };
    }
    yield {
      type: 'end',
      finishReason: CUT.test(answer.finish)
        ? 'length'
        : WHOLE.test(answer.finish)
          ? 'stop'
          : 'other',
      usage: answer.cost
    };
  }

  private async *_read(
    chunks: AsyncIterable<OpenAI.ChatCompletionChunk>,
    answer: Answer
  ): AsyncGenerator<ModelEvent> {
    try {
      for await (const chunk of chunks) {
        yield* answer.parts(chunk);
      }
    } catch (error) {
      if (isReported(error)) {
        throw fromErrorObject(this.identity, error.error);
      }
      // After the finish reason nothing is lost but the usage.
      if (answer.finish === null) {
        throw streamCut(this.identity, answer.characters);
      }
    }
  }

  /** @throws ModelFailure where no stream came. */
  private async _open(
    request: ModelRequest,
    parameters: OptionalParameters,
    signal: AbortSignal
  ): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
    const { baseURL, headers } = this.endpoint;
    const { OpenAI: Client } = await import('openai');
    // The client wraps what `fetch` throws in its own ways.
    let failure: ModelFailure | null = null;
    const client = new Client({
      baseURL,
      // The client insists on a key; the server has it, so the header is taken out again.
      apiKey: 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      defaultHeaders: { ...headers, Authorization: null },
      dangerouslyAllowBrowser: true,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      // It would print bodies, and with them notebooks.
      logLevel: 'off',
      fetch: async (url, init) => {
        try {
          return await this._fetch(url, init);
        } catch (error) {
          failure = error instanceof ModelFailure ? error : null;
          throw error;
        }
      }
    });
    try {
      return await client.chat.completions.create(
        {
          model: this.identity.model,
          messages: [...request.messages],
          ...parameters,
          stream: true
        },
        { signal }
      );
    } catch (error) {
      throw failure ?? error;
    }
  }

  /** @throws ModelFailure for what is no stream of an answer. */
  private async _fetch(...args: Parameters<Fetch>): Promise<Response> {
    let response: Response;
    try {
      response = await this.endpoint.fetch(...args);
    } catch (error) {
      throw unreachable(error);
    }
    if (!response.ok) {
      // The status alone says enough.
      const body = await response.text().catch(() => '');
      throw fromStatus(this.identity, response.status, body);
    }
    if (!/event-stream/i.test(response.headers.get('content-type') ?? '')) {
      throw notAnApi('a web page');
    }
    return response;
  }

  private readonly _tuning: Tuning;
}

/** Finish reasons of answers that are whole, and of cut ones, in the words of the providers. */
const WHOLE = /^(?:stop|eos|end_turn)/i;
const CUT = /length|max_(?:output_)?tokens/i;

/**
 * Milliseconds to wait before retry number `retries` (from 0); null: give up.
 *
 * @param sinceMs - since the first call.
 */
function retryDelay(
  failure: ModelFailure,
  retries: number,
  sinceMs: number,
  tuning: Tuning
): number | null {
  const { worthIt, afterMs } = failure.facts;
  const delayMs = tuning.backoffMs * 2 ** retries;
  const isLast = retries >= tuning.maxRetries;
  if (worthIt && typeof afterMs === 'number') {
    // A wait that is asked for is made as often as it takes, but not in haste.
    const delay = Math.max(afterMs, isLast ? tuning.maxBackoffMs : 0);
    return afterMs <= tuning.maxRetryAfterMs &&
      sinceMs + delay <= tuning.maxWaitMs
      ? delay
      : null;
  }
  const { code, reason } = failure;
  const isBusy = /overload|\bbusy\b|high demand/i.test(reason);
  if (worthIt && (code === 'rate-limited' || isBusy)) {
    // It passes, usually within a minute.
    return delayMs <= tuning.maxRetryAfterMs ? delayMs : null;
  }
  return !worthIt || isLast ? null : Math.min(delayMs, tuning.maxBackoffMs);
}

/** The error to throw when no retry helped: it says how often was tried. */
function afterRetries(
  { kind, message, details }: ModelFailure,
  retries: number,
  waitedMs: number,
  used: Usage | null
): RefineError {
  const tried = `It was tried ${retries + 1} times within ${duration(waitedMs)}.`;
  return new RefineError(kind, retries > 0 ? `${message} ${tried}` : message, {
    ...details,
    ...(retries > 0 ? { numbers: { ...details.numbers, retries } } : {}),
    ...(used ? { usage: used } : {})
  });
}

/** What a provider reported of one call; null where it reported nothing. */
type ReportedUsage = {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
};

/** Below this, chat templates and counting differences weigh too much. */
const MIN_COMPARED_TOKENS = 1000;

/**
 * A warning when the provider counted less than half of the prompt's tokens:
 * servers with a small context (Ollama's default) cut the prompt silently.
 */
export function cutPromptWarning(
  request: ModelRequest,
  reported: ReportedUsage | null,
  model: string
): string | null {
  const sent = estimatePrompt(request.messages);
  const read = reported?.promptTokens ?? null;
  if (!read || sent < MIN_COMPARED_TOKENS || read > sent / 2) {
    return null;
  }
  return `Model ${model} read ${read} tokens of a prompt of about ${sent}: its context may be too small and the prompt cut. Raise the context length of the server (Ollama: OLLAMA_CONTEXT_LENGTH).`;
}

/** As our server writes it for all providers (`providers/answer.py`), which lets nothing else through. */
type Chunk = OpenAI.ChatCompletionChunk & {
  /** llama.cpp's, while it reads. */
  readonly prompt_progress?: {
    readonly total: number;
    readonly processed: number;
  };
};

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & {
  readonly reasoning_content?: string;
};

/** Characters of a refusal that are kept. */
const MAX_REFUSAL = 4000;

/** What is known of one call, also when it failed half-way. */
class Answer {
  constructor(private readonly _request: ModelRequest) {}

  /** The provider's word for why it ended; null when it gave none. */
  finish: string | null = null;
  usage: ReportedUsage | null = null;
  /** What it says in place of an answer. */
  refusal = '';
  /** Of text and reasoning so far. */
  characters = 0;

  *parts(chunk: Chunk): Generator<ModelEvent> {
    const { choices, usage, prompt_progress: progress } = chunk;
    const delta: Delta = choices[0]?.delta ?? {};
    const { content: text, refusal, reasoning_content: reasoning } = delta;
    if (usage) {
      this.usage = {
        promptTokens: usage.prompt_tokens ?? null,
        completionTokens: usage.completion_tokens ?? null
      };
    }
    this.refusal = (this.refusal + (refusal ?? '')).slice(0, MAX_REFUSAL);
    for (const said of [text, reasoning, refusal]) {
      this.characters += said?.length ?? 0;
    }
    if (progress) {
      const { processed: tokens, total: of } = progress;
      yield { type: 'reading', tokens, of };
    }
    if (reasoning) {
      yield { type: 'reasoning', text: reasoning };
    }
    if (text) {
      yield { type: 'text', text };
    }
    this.finish = choices[0]?.finish_reason ?? this.finish;
  }

  /** What the provider did not report is estimated, and the whole marked so. */
  get cost(): Usage {
    const { promptTokens = null, completionTokens = null } = this.usage ?? {};
    return {
      calls: 1,
      promptTokens: promptTokens ?? estimatePrompt(this._request.messages),
      completionTokens: completionTokens ?? tokensOf(this.characters),
      estimated: promptTokens === null || completionTokens === null,
      cost: null
    };
  }

  /** Of a call that failed; null where nothing came. */
  get used(): Usage | null {
    return this.characters > 0 || this.usage ? this.cost : null;
  }
}

/** True for an error inside the stream, as the client throws it. */
function isReported(error: unknown): error is { readonly error: unknown } {
  return (error as { readonly error?: unknown } | null)?.error !== undefined;
}

/** Finish reasons of content filters, in the words of the providers. */
const FILTERED =
  /^(?:content[_-]filter|safety|blocked|blocklist|prohibited_content|recitation|spii)$/i;

/**
 * The failure of an answer that ended with `finish` and held `refusal` instead
 * of text; null for an answer that was given.
 */
function refused(
  { host, model }: Where,
  finish: string | null,
  refusal: string
): ModelFailure | null {
  const what = FILTERED.test(finish ?? '')
    ? `The content filter of ${host} stopped the answer of model ${model} (finish reason ${finish}).`
    : finish === 'refusal' || refusal.trim()
      ? `Model ${model} at ${host} refused to answer.`
      : null;
  const advice = `Change the prompt, or choose another model.${quote(refusal)}`;
  return what === null ? null : new ModelFailure('refused', what, { advice });
}
