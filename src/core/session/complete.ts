/** A model's answer as one text. */
import type { CallRoom } from './budget/budget';
import { RefineError } from '../errors';
import {
  type ILanguageModel,
  type ModelCall,
  type ModelEvent,
  type ModelRequest,
  type Usage,
  addUsage,
  NO_USAGE,
  type ModelPrices
} from '../domain/model';
import { estimatePrompt, tokensOf } from './budget/estimate';
import { pricedUsage, pricesOf } from './budget/prices';

export type Completing = {
  /** None: nothing limits the call. */
  readonly room?: CallRoom;
  /** Called once with what it cost and how it went, also when the call fails or is aborted. */
  readonly onCall: (usage: Usage, call: ModelCall) => void;
  readonly signal: AbortSignal;
  /** Called with each event and the whole text so far; false: that is enough, and the call ends. */
  readonly onEvent?: (event: ModelEvent, text: string) => boolean | void;
};

/**
 * What came before the room was used up, at most.
 *
 * @throws RefineError of the model, or the signal's reason.
 */
export async function completeText(
  model: ILanguageModel,
  request: Omit<ModelRequest, 'maxOutputTokens'>,
  { room, onCall, onEvent, signal }: Completing
): Promise<string> {
  const limit = room?.maxOutputTokens ?? null;
  const sent = {
    ...request,
    ...(limit === null ? {} : { maxOutputTokens: limit })
  };
  const meter = new CallMeter(model, sent, room);
  let reported = false;
  const account = () => {
    if (!reported) {
      reported = true;
      onCall(meter.usage, meter.call);
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    for await (const event of model.generate(sent, signal)) {
      const goesOn = meter.take(event);
      const isEnough = onEvent?.(event, meter.call.answer) === false;
      if (!goesOn || isEnough) {
        break;
      }
    }
    return meter.call.answer;
  } catch (error) {
    meter.fail(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', account);
    account();
  }
}

/** Of a call that nobody has answered. */
const FREE_CALL: Usage = { ...NO_USAGE, calls: 1 };

/**
 * Calls that the adapter made again count too: with what it reports of them, or
 * else from the characters that came.
 */
class CallMeter {
  constructor(
    model: Pick<ILanguageModel, 'identity' | 'prices'>,
    { messages, temperature, maxOutputTokens }: ModelRequest,
    /** None: nothing limits the call. */
    private readonly _room?: CallRoom
  ) {
    this._promptTokens = estimatePrompt(messages);
    this._prices = pricesOf(model);
    this._call = {
      model: model.identity,
      prompt: messages,
      temperature: temperature ?? null,
      maxOutputTokens: maxOutputTokens ?? null,
      answer: '',
      reasoning: '',
      finishReason: null
    };
  }

  /** Count `event`. False: the answer is to be cut here, since the budget pays for no more. */
  take(event: ModelEvent): boolean {
    switch (event.type) {
      case 'text':
        this._change({ answer: this._call.answer + event.text });
        break;
      case 'reasoning':
        this._change({ reasoning: this._call.reasoning + event.text });
        break;
      case 'retry':
        this._repeated = addUsage(this._repeated, this._ofRetry(event.usage));
        this._change({ answer: '', reasoning: '' });
        break;
      case 'end':
        this._own = event.usage;
        this._change({ finishReason: event.finishReason });
        return true;
      case 'reading':
      case 'warning':
        return true;
    }
    if (this._room?.covers(this.usage) === false) {
      this._change({ finishReason: 'length' });
      return false;
    }
    return true;
  }

  /** The call failed: one that gave nothing is free. */
  fail(error: unknown): void {
    if (error instanceof RefineError && this._own === null) {
      this._own =
        error.details.usage ?? (this._characters === 0 ? FREE_CALL : null);
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

  private _change(change: Partial<ModelCall>): void {
    this._call = { ...this._call, ...change };
  }

  private get _characters(): number {
    return this._call.answer.length + this._call.reasoning.length;
  }

  private _ofRetry(reported: Usage | null | undefined): Usage {
    const estimated =
      reported === undefined && this._characters > 0 ? this._estimated() : null;
    const usage = reported ?? estimated;
    return usage === null ? NO_USAGE : this._priced(usage);
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
  private _repeated = NO_USAGE;
  private _own: Usage | null = null;
}
