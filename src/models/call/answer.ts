/** One call: the client's stream of chunks as text, reasoning and an end. */
import type OpenAI from 'openai';
import type { RefineErrorCode } from '../../core/errors';
import { readChunk } from './chunk';
import { fromErrorObject } from '../transport/errors';
import { abortError, ModelFailure } from '../transport/failure';
import type { Where } from './messages';
import { refused } from './refused';
import { malformed, notAnApi, streamCut } from '../transport/transportErrors';
import type { ReportedUsage } from './usage';
import type { Wire } from '../transport/wire';
import { sentence } from '../../core/messages/sentence';

export type AnswerEvent = {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
};

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

  private *_parts(chunk: unknown): Generator<AnswerEvent> {
    const parts = readChunk(chunk);
    if (!parts) {
      throw malformed(this.where, this.characters);
    }
    const { text, reasoning, refusal, finish, usage } = parts;
    this._sawChunk = true;
    this.usage = usage ?? this.usage;
    this.notice = parts.notice ?? this.notice;
    this._refusal = (this._refusal + refusal).slice(0, MAX_REFUSAL);
    if (text || reasoning || refusal) {
      this.wire.characters += text.length + reasoning.length + refusal.length;
    }
    if (reasoning) {
      yield { type: 'reasoning', text: reasoning };
    }
    if (text) {
      yield { type: 'text', text };
    }
    if (finish !== null) {
      this.finish = finish;
    }
  }

  private _failureOf(error: unknown): ModelFailure {
    if (error instanceof ModelFailure) {
      return error;
    }
    if (this.wire.failure) {
      return this.wire.failure;
    }
    if (error instanceof SyntaxError) {
      return malformed(this.where, this.characters);
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
    if (this.finish !== null || this.wire.isDone) {
      return;
    }
    throw this.wire.sawData && !this._sawChunk
      ? notAnApi(this.where, sentence('found.something-else'))
      : streamCut(this.where, this.characters);
  }

  private _sawChunk = false;
  private _refusal = '';
}
