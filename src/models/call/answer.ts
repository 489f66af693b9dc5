/** One call: the client's stream of chunks as text, reasoning and an end. */
import type OpenAI from 'openai';
import type { ModelEvent } from '../../core/domain/model';
import { type RefineErrorCode, RefineError } from '../../core/errors';
import {
  abortError,
  fromErrorObject,
  ModelFailure,
  quote,
  streamCut,
  type Where
} from '../transport/failures';
import type { ReportedUsage } from './usage';
import type { Wire } from '../transport/wire';

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

export type AnswerEvent = Extract<
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
export class AnswerReader {
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
