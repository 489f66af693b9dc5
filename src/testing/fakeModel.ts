/** A language model that plays a script. */
import { systemClock, type IClock } from '../core/clock';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelRequest,
  Usage
} from '../core/domain/model';

/** One step of a scripted answer. */
export type FakeStep =
  | ModelEvent
  /** Wait, milliseconds on the model's clock. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Never continue by itself; only abort ends it. */
  | { readonly type: 'hang' }
  /** Throw this. */
  | { readonly type: 'throw'; readonly error: unknown };

/** A whole answer as text, its steps, or a function of the request. */
export type FakeAnswer =
  | string
  | readonly FakeStep[]
  | ((request: ModelRequest, call: number) => string | readonly FakeStep[]);

type FakeModelOptions = {
  readonly identity?: Partial<ModelIdentity>;
  /** Times the `delay` steps; real time by default. */
  readonly clock?: IClock;
  /** Reported with answers given as text; default: 100 and 50 tokens, cost unknown. */
  readonly usage?: Usage;
};

/**
 * Plays one scripted answer a call, in order; when there are no more, the last
 * one again. Records what it was asked.
 *
 * @example
 * ```ts
 * const model = new FakeModel(['```python\nx = 1\n```', [{ type: 'hang' }]]);
 * ```
 */
export class FakeModel implements ILanguageModel {
  constructor(
    private readonly _answers: readonly FakeAnswer[],
    private readonly _options: FakeModelOptions = {}
  ) {
    this.identity = {
      profile: 'fake',
      model: 'fake-1',
      host: 'localhost',
      recorded: false,
      ..._options.identity
    };
  }

  readonly identity: ModelIdentity;
  /** Every request so far, in order of the calls. */
  readonly requests: ModelRequest[] = [];
  /** Calls that ended by their signal. */
  aborted = 0;
  /** Calls that are continuing now. */
  active = 0;

  async *generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncIterable<ModelEvent> {
    const call = this.requests.push(request) - 1;
    const answer =
      this._answers[Math.min(call, this._answers.length - 1)] ?? '';
    const script =
      typeof answer === 'function' ? answer(request, call) : answer;
    this.active++;
    try {
      for (const step of this._steps(script)) {
        signal.throwIfAborted();
        switch (step.type) {
          case 'delay':
            await (this._options.clock ?? systemClock).sleep(step.ms, signal);
            break;
          case 'hang':
            await untilAborted(signal);
            break;
          case 'throw':
            throw step.error;
          case 'text':
          case 'reasoning':
          case 'reading':
          case 'retry':
          case 'warning':
          case 'end':
            yield step;
        }
      }
    } finally {
      this.active--;
      if (signal.aborted) {
        this.aborted++;
      }
    }
  }

  private _steps(script: string | readonly FakeStep[]): readonly FakeStep[] {
    if (typeof script !== 'string') {
      return script;
    }
    const size = 16;
    const steps: FakeStep[] = [];
    for (let i = 0; i < script.length; i += size) {
      steps.push({ type: 'text', text: script.slice(i, i + size) });
    }
    return [...steps, fakeEnd(this._options.usage)];
  }
}

/** The last event of a complete answer. */
export function fakeEnd(
  usage?: Usage,
  finishReason: 'stop' | 'length' | 'other' = 'stop'
): ModelEvent {
  return {
    type: 'end',
    finishReason,
    usage: usage ?? {
      calls: 1,
      promptTokens: 100,
      completionTokens: 50,
      estimated: false,
      cost: null
    }
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
