/** Replays recorded answers with a pace; labelled recorded wherever the identity is shown. */
import { systemClock, type IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type {
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelRequest
} from '../core/domain/model';
import { abortError } from './transport/failure';
import { usageOfCall, type ReportedUsage } from './call/usage';
import { sentence } from '../core/messages/sentence';

/** One answer, as it was once given. */
export type RecordedAnswer = {
  /** Texts that all occur in the messages it answers; none: it answers any. */
  readonly match?: readonly string[];
  readonly reasoning?: string;
  readonly text: string;
  readonly finishReason?: 'stop' | 'length' | 'other';
  /** As the provider reported it then; missing: estimated. */
  readonly usage?: ReportedUsage;
};

export type RecordedModelOptions = {
  /** Each is given once; the first unused one that matches answers. */
  readonly answers: readonly RecordedAnswer[];
  /** Name of the model that was recorded. */
  readonly model: string;
  /** Default `recorded`. */
  readonly profile?: string;
  /** Default 60; 0: without waiting. A token is four characters. */
  readonly tokensPerSecond?: number;
  readonly clock?: IClock;
};

export function recordedModel(options: RecordedModelOptions): ILanguageModel {
  return new RecordedModel(options);
}

class RecordedModel implements ILanguageModel {
  constructor(private readonly options: RecordedModelOptions) {
    this.identity = {
      profile: options.profile ?? 'recorded',
      model: options.model,
      host: 'recorded',
      recorded: true
    };
    this._left = [...options.answers];
  }

  readonly identity: ModelIdentity;

  async *generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncGenerator<ModelEvent> {
    throwIfAborted(signal);
    const answer = this._take(request);
    const { reasoning = '', text } = answer;
    yield* this._paced('reasoning', reasoning, signal);
    yield* this._paced('text', text, signal);
    yield {
      type: 'end',
      finishReason: answer.finishReason ?? 'stop',
      usage: usageOfCall(
        request,
        reasoning.length + text.length,
        answer.usage ?? null,
        { input: 0, output: 0 }
      )
    };
  }

  private _take(request: ModelRequest): RecordedAnswer {
    const prompt = request.messages.map(({ content }) => content).join('\n');
    const index = this._left.findIndex(({ match = [] }) =>
      match.every(text => prompt.includes(text))
    );
    const [answer] = index < 0 ? [] : this._left.splice(index, 1);
    if (!answer) {
      const total = this.options.answers.length;
      throw new RefineError(
        'model',
        sentence(
          'recording.no-answer',
          this.options.model,
          this._left.length,
          total
        ),
        { code: 'demo-only', numbers: { left: this._left.length, total } }
      );
    }
    return answer;
  }

  private async *_paced(
    type: 'text' | 'reasoning',
    text: string,
    signal: AbortSignal
  ): AsyncGenerator<ModelEvent> {
    const { tokensPerSecond = 60, clock = systemClock } = this.options;
    for (const part of text.match(/[^]{1,4}/gu) ?? []) {
      if (tokensPerSecond) {
        await clock
          .sleep(1000 / tokensPerSecond, signal)
          .catch(() => undefined);
      }
      throwIfAborted(signal);
      yield { type, text: part };
    }
  }

  private readonly _left: RecordedAnswer[];
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw abortError();
  }
}
