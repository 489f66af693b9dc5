/** The port over which language models are called. Implemented in `models/` and by `testing/FakeModel`. */
import type * as z from 'zod';
import type {
  modelCallSchema,
  modelSchema,
  usageSchema
} from '../events/schema';
import type { Frozen } from '../settings';

export type ChatMessage = ModelCall['prompt'][number];

export type ModelRequest = {
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** JSON schema of the answer, to be read with care: not every model obeys it, and it is left out where a server refuses it. */
  readonly schema?: {
    readonly name: string;
    readonly schema: object;
  };
};

export type Usage = Frozen<z.infer<typeof usageSchema>>;

export const NO_USAGE: Usage = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  estimated: false,
  cost: 0
};

/** Sum of two usages; an unknown cost makes the sum unknown, unless the other side made no call. */
export function addUsage(a: Usage, b: Usage): Usage {
  const made = [a, b].filter(({ calls }) => calls > 0);
  const costs = (made.length === 1 ? made : [a, b]).map(({ cost }) => cost);
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    estimated: a.estimated || b.estimated,
    cost: costs.reduce((x, y) => (x === null || y === null ? null : x + y))
  };
}

export type ModelEvent =
  /** A part of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** A part of a separate reasoning channel, where the provider has one. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** So many tokens of the prompt have been read, of so many. */
  | { readonly type: 'reading'; readonly tokens: number; readonly of: number }
  /** The call is repeated; everything received from it so far is void. */
  | {
      readonly type: 'retry';
      readonly reason: string;
      readonly delayMs: number;
      /** What the abandoned call has used. Null: nothing; absent: unknown, so that it is estimated from its text. */
      readonly usage?: Usage | null;
    }
  | { readonly type: 'warning'; readonly message: string }
  /** Always last, exactly once, unless `generate` throws. */
  | {
      readonly type: 'end';
      /** `length`: the answer was cut by the token limit. */
      readonly finishReason: 'stop' | 'length' | 'other';
      /** Of this call, without those abandoned before it. */
      readonly usage: Usage;
    };

/** Who answers; always visible to the user. */
export type ModelIdentity = Frozen<z.infer<typeof modelSchema>>;

/** One call as it was made, whatever ended it. */
export type ModelCall = Frozen<z.infer<typeof modelCallSchema>>;

/** USD per million tokens. */
export type ModelPrices = {
  readonly input: number;
  readonly output: number;
};

export interface ILanguageModel {
  readonly identity: ModelIdentity;
  /** What the profile says; null or none: unknown. */
  readonly prices?: ModelPrices | null;

  /**
   * One streamed answer. Aborting `signal` reaches the provider and ends the
   * iteration with an `AbortError`.
   *
   * @throws RefineError kind `model` with a message for the user, the way out included.
   */
  generate(
    request: ModelRequest,
    signal: AbortSignal
  ): AsyncIterable<ModelEvent>;
}
