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
import { RefineError, type RefineErrorCode } from '../../core/errors';
import {
  abortError,
  ModelFailure,
  type Where,
  fromErrorObject,
  quote,
  streamCut
} from '../transport/failures';
import {
  sharedParameterMemory,
  type OptionalParameters,
  type ParameterMemory,
  DEFAULT_TUNING,
  type Tuning
} from './parameters';
import { Wire, type Fetch } from '../transport/wire';
import { duration } from '../../core/text/english';
import { linkedController } from '../../core/session/abort';
import { estimatePrompt, tokensOf } from '../../core/session/budget/estimate';

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

export type ChatModelOptions = {
  readonly tuning?: Partial<Tuning>;
  /** Refused parameters are remembered here; default: one memory for all models. */
  readonly memory?: ParameterMemory;
};

/** The longest delay a timer takes: the client's own time limit is never the one that ends a call. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Of a call so far; null until something came. */
type Used = { usage: Usage | null };

export class ChatModel implements ILanguageModel {
  constructor(
    private readonly endpoint: Endpoint,
    { tuning, memory }: ChatModelOptions = {}
  ) {
    this.identity = endpoint.identity;
    this.prices = endpoint.prices;
    this._tuning = { ...DEFAULT_TUNING, ...tuning };
    this._memory = memory ?? sharedParameterMemory;
    this._where = {
      host: endpoint.identity.host,
      model: endpoint.identity.model,
      secrets: []
    };
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
      const { host, model } = this._where;
      const parameters = this._memory.parameters(host, model, request);
      const used: Used = { usage: null };
      try {
        yield* this._call(request, parameters, signal, used);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ModelFailure)) {
          throw signal.aborted ? abortError() : error;
        }
        const fixed =
          error.refusal &&
          this._memory.learn(host, model, parameters, error.refusal);
        if (fixed) {
          yield { type: 'warning', message: fixed };
          continue;
        }
        const sinceMs = clock.now() - start;
        const delayMs = retryDelay(error, retries, sinceMs, this._tuning);
        if (delayMs === null) {
          throw withUsage(afterRetries(error, retries, sinceMs), used.usage);
        }
        retries += 1;
        yield {
          type: 'retry',
          reason: error.reason,
          delayMs,
          usage: used.usage
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
    used: Used
  ): AsyncGenerator<ModelEvent> {
    const wire = new Wire(this._where, this.endpoint.fetch, this._tuning);
    const reader = new AnswerReader(this._where, wire);
    const usage = () => usageOfCall(request, reader.characters, reader.usage);
    const { controller, unlink } = linkedController(signal);
    try {
      yield* reader.read(
        () => this._open(wire, request, parameters, controller.signal),
        signal
      );
    } finally {
      unlink();
      // However the call ended, also when the reader stops reading: the provider must not continue.
      controller.abort();
      if (reader.characters > 0 || reader.usage) {
        used.usage = usage();
      }
    }
    if (reader.notice) {
      yield { type: 'warning', message: reader.notice };
    }
    const warning = this.identity.recorded
      ? null
      : cutPromptWarning(request, reader.usage, this.identity.model);
    if (warning) {
      yield { type: 'warning', message: warning };
    }
    yield {
      type: 'end',
      finishReason: finishReason(reader.finish),
      usage: usage()
    };
  }

  private async _open(
    wire: Wire,
    request: ModelRequest,
    parameters: OptionalParameters,
    signal: AbortSignal
  ): Promise<AsyncIterable<OpenAI.ChatCompletionChunk>> {
    const { baseURL, headers } = this.endpoint;
    const { OpenAI: Client } = await import('openai');
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
      fetch: wire.fetch
    });
    return client.chat.completions.create(
      {
        model: this.identity.model,
        messages: [...request.messages],
        ...parameters,
        stream: true
      },
      { signal }
    );
  }

  private readonly _tuning: Tuning;
  private readonly _memory: ParameterMemory;
  private readonly _where: Where;
}

function withUsage(error: RefineError, usage: Usage | null): RefineError {
  return usage === null
    ? error
    : new RefineError(error.kind, error.message, { ...error.details, usage });
}

/** The provider's finish reason in our words. */
function finishReason(finish: string | null): 'stop' | 'length' | 'other' {
  switch (finish) {
    case null:
    case 'stop':
    case 'eos':
    case 'end_turn':
      return 'stop';
    case 'length':
    case 'max_tokens':
      return 'length';
    default:
      return 'other';
  }
}

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
  const { worthIt, afterMs } = failure.retry;
  const isLast = retries >= tuning.maxRetries;
  if (worthIt && typeof afterMs === 'number') {
    // A wait that is asked for is made as often as it takes, but not in haste.
    const delay = Math.max(afterMs, isLast ? tuning.maxBackoffMs : 0);
    return afterMs <= tuning.maxRetryAfterMs &&
      sinceMs + delay <= tuning.maxWaitMs
      ? delay
      : null;
  }
  return !worthIt || isLast
    ? null
    : Math.min(tuning.backoffMs * 2 ** retries, tuning.maxBackoffMs);
}

/** The error to throw when no retry helped: it says how often was tried. */
function afterRetries(
  { error }: ModelFailure,
  retries: number,
  waitedMs: number
): RefineError {
  if (retries === 0) {
    return error;
  }
  const tried = `It was tried ${retries + 1} times within ${duration(waitedMs)}.`;
  return new RefineError(error.kind, [error.message, tried].join(' '), {
    ...error.details,
    numbers: { ...error.details.numbers, retries }
  });
}

/** What a provider reported of one call; null where it reported nothing. */
type ReportedUsage = {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
};

/** Usage of one call; what the provider did not report is estimated, and the whole marked so. */
function usageOfCall(
  request: ModelRequest,
  answerCharacters: number,
  reported: ReportedUsage | null
): Usage {
  const { promptTokens = null, completionTokens = null } = reported ?? {};
  return {
    calls: 1,
    promptTokens: promptTokens ?? estimatePrompt(request.messages),
    completionTokens: completionTokens ?? tokensOf(answerCharacters),
    estimated: promptTokens === null || completionTokens === null,
    cost: null
  };
}

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

/** As our server writes it for all providers (`event.py`), which lets nothing else through. */
type Chunk = OpenAI.ChatCompletionChunk & {
  readonly refine?: { readonly notice?: string };
  /** llama.cpp's, while it reads. */
  readonly prompt_progress?: {
    readonly total: number;
    readonly processed: number;
  };
};

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & {
  readonly reasoning_content?: string;
};

type AnswerEvent = Extract<
  ModelEvent,
  { type: 'text' | 'reasoning' | 'reading' }
>;

const LATE_CODES: ReadonlySet<RefineErrorCode> = new Set([
  'stalled',
  'stream-cut'
]);

/** Characters of a refusal that are kept. */
const MAX_REFUSAL = 4000;

/** What is known of a call, also when it failed half-way. */
class AnswerReader {
  constructor(
    private readonly where: Where,
    private readonly wire: Wire
  ) {}

  /** The provider's word for why it ended; null when it gave none. */
  finish: string | null = null;
  usage: ReportedUsage | null = null;
  /** What our server did to the answer, for the user. */
  notice: string | null = null;

  /** Characters of text and reasoning so far. */
  get characters(): number {
    return this.wire.characters;
  }

  /**
   * The parts of the answer.
   *
   * @throws ModelFailure, or AbortError when `signal` is aborted.
   */
  async *read(
    open: () => Promise<AsyncIterable<OpenAI.ChatCompletionChunk>>,
    signal: AbortSignal
  ): AsyncGenerator<AnswerEvent> {
    try {
      for await (const chunk of await open()) {
        if (signal.aborted) {
          break;
        }
        yield* this._parts(chunk);
      }
    } catch (error) {
      if (signal.aborted) {
        throw abortError();
      }
      const failure = this._failureOf(error);
      // After the finish reason nothing is lost but the usage.
      if (this.finish === null || !LATE_CODES.has(failure.error.code)) {
        throw failure;
      }
    }
    if (signal.aborted) {
      throw abortError();
    }
    this._checkComplete();
  }

  private *_parts(chunk: Chunk): Generator<AnswerEvent> {
    const { choices, usage, refine, prompt_progress: progress } = chunk;
    const delta: Delta = choices[0]?.delta ?? {};
    const { content: text, refusal, reasoning_content: reasoning } = delta;
    if (usage) {
      this.usage = {
        promptTokens: usage.prompt_tokens ?? null,
        completionTokens: usage.completion_tokens ?? null
      };
    }
    this.notice = refine?.notice ?? this.notice;
    this._refusal = (this._refusal + (refusal ?? '')).slice(0, MAX_REFUSAL);
    for (const said of [text, reasoning, refusal]) {
      this.wire.characters += said?.length ?? 0;
    }
    if (progress) {
      yield {
        type: 'reading',
        tokens: progress.processed,
        of: progress.total
      };
    }
    if (reasoning) {
      yield { type: 'reasoning', text: reasoning };
    }
    if (text) {
      yield { type: 'text', text };
    }
    this.finish = choices[0]?.finish_reason ?? this.finish;
  }

  private _failureOf(error: unknown): ModelFailure {
    if (error instanceof ModelFailure) {
      return error;
    }
    if (this.wire.failure) {
      return this.wire.failure;
    }
    if (error instanceof SyntaxError) {
      // A line that is no JSON: what it held is lost.
      return streamCut(this.where, this.characters);
    }
    const inStream = (error as { readonly error?: unknown } | null)?.error;
    if (inStream !== undefined) {
      return fromErrorObject(this.where, inStream);
    }
    throw error;
  }

  /** A body that ended by itself: was it an answer, and a whole one? */
  private _checkComplete(): void {
    const refusal = refused(this.where, this.finish, this._refusal);
    if (refusal) {
      throw refusal;
    }
    if (this.finish === null && !this.wire.isDone) {
      throw streamCut(this.where, this.characters);
    }
  }

  private _refusal = '';
}

/** Finish reasons of content filters, in the words of the providers. */
const FILTERS: ReadonlySet<string> = new Set([
  'content_filter',
  'content-filter',
  'safety',
  'blocked',
  'blocklist',
  'prohibited_content',
  'recitation',
  'spii'
]);

/**
 * The failure of an answer that ended with `finish` and held `refusal` instead
 * of text; null for an answer that was given.
 */
export function refused(
  where: Where,
  finish: string | null,
  refusal: string
): ModelFailure | null {
  const { host, model } = where;
  const word = finish?.toLowerCase() ?? '';
  if (FILTERS.has(word)) {
    return failure(
      `The content filter of ${host} stopped the answer of model ${model} (finish reason ${word}). Change the prompt, or choose another model.` +
        quote(where, refusal)
    );
  }
  if (word === 'refusal' || refusal.trim()) {
    return failure(
      `Model ${model} at ${host} refused to answer. Change the prompt, or choose another model.` +
        quote(where, refusal)
    );
  }
  return null;
}

function failure(message: string): ModelFailure {
  return new ModelFailure(
    new RefineError('model', message, { code: 'refused' })
  );
}
