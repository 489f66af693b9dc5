/** Counts what one call of a model uses, and keeps what it gave, from its events. */
import type { Reservation } from './budget';
import { estimatePrompt, isBeyond, tokensOf } from './estimate';
import { RefineError, type RefineErrorCode } from '../../errors';
import {
  addUsage,
  believedUsage,
  extendCall,
  NO_USAGE,
  openCall,
  type ILanguageModel,
  type ModelCall,
  type ModelEvent,
  type ModelPrices,
  type ModelRequest,
  type Usage
} from '../../domain/model';
import { pricedUsage, pricesOf } from './prices';

/** Failures of a call that no provider has answered, so that none charges for it. */
const FREE: ReadonlySet<RefineErrorCode> = new Set([
  'bad-request',
  'unauthorized',
  'model-not-found',
  'rate-limited',
  'provider-error',
  'context-too-long',
  'unreachable',
  'not-an-api',
  'no-model',
  'routes-missing',
  'demo-only',
  'bad-option'
]);

const FREE_CALL: Usage = { ...NO_USAGE, calls: 1 };

/**
 * Calls that the adapter made again count too: with what it reports of them, or
 * else from the characters that came.
 */
export class CallMeter {
  constructor(
    model: Pick<ILanguageModel, 'identity' | 'prices'>,
    request: ModelRequest,
    /** None: nothing limits the call. */
    private readonly _reservation?: Pick<
      Reservation,
      'maxOutputTokens' | 'covers'
    >
  ) {
    this._promptTokens = estimatePrompt(request.messages);
    this._call = openCall(model, request);
    this._prices = pricesOf(model);
  }

  /** Count `event`. False: the answer is to be cut here, at a limit that the server does not keep. */
  take(event: ModelEvent): boolean {
    this._call = extendCall(this._call, event);
    const goesOn = this._count(event);
    if (!goesOn) {
      this._call = { ...this._call, finishReason: 'length' };
    }
    return goesOn;
  }

  private _count(event: ModelEvent): boolean {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this._characters += event.text.length;
        return !this._isOver();
      case 'retry':
        this._repeated = addUsage(this._repeated, this._ofRetry(event.usage));
        this._characters = 0;
        return !this._isOver();
      case 'end':
        this._own = believedUsage(event.usage);
        return true;
      case 'reading':
      case 'warning':
        return true;
    }
  }

  /** The call failed: one that nobody answered is free. */
  fail(error: unknown): void {
    if (error instanceof RefineError && this._own === null) {
      this._own =
        believedUsage(error.details.usage) ??
        (this._characters === 0 && FREE.has(error.code) ? FREE_CALL : null);
    }
  }

  /** As far as it has come. */
  get call(): ModelCall {
    return this._call;
  }

  /** So far: as reported, else estimated from characters. */
  get usage(): Usage {
    return addUsage(
      this._repeated,
      this._priced(this._own ?? this._estimated())
    );
  }

  private _ofRetry(reported: Usage | null | undefined): Usage {
    if (reported === null) {
      return NO_USAGE;
    }
    const usage =
      believedUsage(reported) ??
      (this._characters > 0 ? this._estimated() : null);
    return usage === null ? NO_USAGE : this._priced(usage);
  }

  private _isOver(): boolean {
    return (
      this._reservation !== undefined &&
      (isBeyond(this._characters, this._reservation.maxOutputTokens) ||
        !this._reservation.covers(this.usage))
    );
  }

  private _estimated(): Usage {
    return {
      calls: 1,
      promptTokens: this._promptTokens,
      completionTokens: tokensOf(this._characters),
      estimated: true,
      cost: null
    };
  }

  private _priced(usage: Usage): Usage {
    return pricedUsage(usage, this._prices);
  }

  private readonly _promptTokens: number;
  private readonly _prices: ModelPrices | null;
  private _call: ModelCall;
  private _characters = 0;
  private _repeated = NO_USAGE;
  private _own: Usage | null = null;
}
