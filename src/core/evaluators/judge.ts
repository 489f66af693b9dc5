/** A model's verdict. It judges what no assertion checks, and overturns none. */
import type { CallRoom } from '../session/budget/budget';
import { completeText } from '../session/complete';
import { RefineError } from '../errors';
import { estimatePrompt } from '../session/budget/estimate';
import type {
  ChatMessage,
  ILanguageModel,
  ModelCall,
  ModelRequest,
  Usage
} from '../domain/model';
import type { EvaluationInput, IEvaluator, Verdict } from '../domain/verdict';
import { visibleExecution, visibleRequest } from '../domain/visible';
import { judgementFormat, readJudgement, type Judgement } from './judgement';
import { judgeMessages, repairMessage } from './judgePrompt';

export type JudgeOptions = {
  readonly model: ILanguageModel;
  readonly criteria: readonly string[];
  /** What a score alone must reach for a pass; null: a score alone is none. */
  readonly targetScore?: number | null;
  /** Each call for an attempt, once it has ended. */
  readonly onCall: (attempt: number, usage: Usage, call: ModelCall) => void;
  /** Room for a call; null when the budget has none left. Default: no budget. */
  readonly roomFor?: (promptTokens: number) => CallRoom | null;
};

type Format = NonNullable<ModelRequest['schema']>['mode'] | 'text';

/** From the strictest form to plain text; a server that refuses one is asked for the next. */
const LADDER: readonly Format[] = ['json-schema', 'json-object', 'text'];

/** The first form that a model did not refuse, for as long as the page or process lives. */
const accepted = new Map<string, number>();

/**
 * Gives `unknown` when the judge cannot be asked or understood: never a guess,
 * and never the end of the session.
 */
export class JudgeEvaluator implements IEvaluator {
  readonly name = 'judge';
  readonly required = true;

  constructor(private readonly _options: JudgeOptions) {}

  async evaluate(
    input: EvaluationInput,
    _onUsage: (usage: Usage) => void,
    signal: AbortSignal
  ): Promise<Verdict> {
    const { criteria } = this._options;
    const { request, candidate, execution } = input;
    const messages = judgeMessages(
      {
        request: visibleRequest(request),
        candidate,
        execution: execution && visibleExecution(execution)
      },
      criteria
    );
    if (this._refusal !== null) {
      return unknown(
        `The judge refused to answer before, so it was not asked again: ${this._refusal}`
      );
    }
    const ask = (asked: readonly ChatMessage[]) =>
      this._ask(
        asked,
        (usage, call) => {
          this._options.onCall(input.attempt, usage, call);
        },
        signal
      );
    const first = await ask(messages);
    if (first === null) {
      return unknown('The budget is used up, so the judge did not run.');
    }
    const judgement = readJudgement(first, criteria);
    if (judgement) {
      return this._verdict(judgement);
    }
    const second = await ask([
      ...messages,
      { role: 'assistant', content: first },
      repairMessage(criteria)
    ]);
    const repaired = second === null ? null : readJudgement(second, criteria);
    return repaired
      ? this._verdict(repaired)
      : unknown('The judge’s answer could not be read.');
  }

  private _verdict(judgement: Judgement): Verdict {
    const { evaluation, score, feedback, criteria } = judgement;
    const target = this._options.targetScore ?? null;
    const enough = target !== null && score !== null && score >= target;
    return {
      evaluator: 'judge',
      evaluation: evaluation ?? (enough ? 'pass' : 'needs-improvement'),
      score,
      reasons: [
        ...feedback,
        ...Object.entries(criteria).map(
          ([name, value]) => `${name}: ${Math.round(value * 100) / 10} of 10`
        )
      ]
    };
  }

  private async _ask(
    messages: readonly ChatMessage[],
    onCall: (usage: Usage, call: ModelCall) => void,
    signal: AbortSignal
  ): Promise<string | null> {
    const { model } = this._options;
    const key = JSON.stringify([model.identity.host, model.identity.model]);
    for (let rung = accepted.get(key) ?? 0; ; rung++) {
      const room = this._options.roomFor?.(estimatePrompt(messages));
      if (room === null) {
        return null;
      }
      try {
        const text = await completeText(
          model,
          this._request(messages, LADDER[rung]),
          { room, onCall, signal }
        );
        accepted.set(key, rung);
        return text;
      } catch (error) {
        if (error instanceof RefineError && error.code === 'refused') {
          this._refusal = error.message;
        }
        if (!isFormRefused(error) || rung === LADDER.length - 1) {
          throw error;
        }
      }
    }
  }

  /** Why the model, or a content filter, does not answer in this session. */
  private _refusal: string | null = null;

  private _request(
    messages: readonly ChatMessage[],
    format: Format
  ): ModelRequest {
    return {
      messages,
      temperature: 0,
      ...(format === 'text'
        ? {}
        : {
            schema: { ...judgementFormat(this._options.criteria), mode: format }
          })
    };
  }
}

function isFormRefused(error: unknown): boolean {
  return error instanceof RefineError && error.code === 'bad-request';
}

function unknown(reason: string): Verdict {
  return {
    evaluator: 'judge',
    evaluation: 'unknown',
    score: null,
    reasons: [reason]
  };
}
