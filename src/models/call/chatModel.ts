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
import { AnswerReader } from './answer';
import { abortError, ModelFailure, type Where } from '../transport/failures';
import {
  sharedParameterMemory,
  type OptionalParameters,
  type ParameterMemory,
  DEFAULT_TUNING,
  type Tuning
} from './parameters';
import { cutPromptWarning, usageOfCall } from './usage';
import { Wire, type Fetch } from '../transport/wire';
import { duration } from '../../core/text/duration';

/** Where a model is and how it is reached. */
export type Endpoint = {
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
          this._memory.learn(host, model, request, parameters, error.refusal);
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
    const controller = new AbortController();
    const abort = () => controller.abort(abortError());
    signal.addEventListener('abort', abort, { once: true });
    try {
      yield* reader.read(
        () => this._open(wire, request, parameters, controller.signal),
        signal
      );
    } finally {
      signal.removeEventListener('abort', abort);
      // However the call ended, also when the reader stops reading: the provider must not continue.
      abort();
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
