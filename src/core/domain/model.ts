/** The port over which language models are called. Implemented in `models/` and by `testing/FakeModel`. */

export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
};

export type ModelRequest = {
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  /** JSON schema of the answer, to be read with care: not every model obeys it. */
  readonly schema?: {
    readonly name: string;
    readonly schema: object;
    /**
     * How to ask for it. A server that refuses a form asked for by name gives
     * `bad-request`; without a name it is `json-schema`, and left out where refused.
     */
    readonly mode?: 'json-schema' | 'json-object';
  };
};

/** Tokens and money of one call, or a sum of calls. */
export type Usage = {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** True when the provider sent no usage and it was counted from characters. */
  readonly estimated: boolean;
  /** US dollars; null when the price of the model is unknown. */
  readonly cost: number | null;
  /** Date of the list prices in `cost`; absent: it was counted with none. */
  readonly listed?: string;
};

export const NO_USAGE: Usage = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  estimated: false,
  cost: 0
};

/** Sum of two usages; an unknown cost makes the sum unknown, unless the other side made no call. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost =
    a.calls === 0
      ? b.cost
      : b.calls === 0
        ? a.cost
        : a.cost === null || b.cost === null
          ? null
          : a.cost + b.cost;
  const listed = a.listed ?? b.listed;
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    estimated: a.estimated || b.estimated,
    cost,
    ...(listed === undefined ? {} : { listed })
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
export type ModelIdentity = {
  readonly profile: string;
  readonly model: string;
  /** Host name without path: `localhost:11434`. */
  readonly host: string;
  /** True for recorded answers (`demo`, `--replay`): labelled so everywhere. */
  readonly recorded: boolean;
  /** Tokens of prompt and answer together, where the server says it. */
  readonly context?: number;
};

/** One call as it was made, whatever ended it. */
export type ModelCall = {
  readonly model: ModelIdentity;
  readonly prompt: readonly ChatMessage[];
  /** Null: the provider's default. */
  readonly temperature: number | null;
  /** Null: the provider's default. */
  readonly maxOutputTokens: number | null;
  /** All text of the answer as it came, without a reasoning channel. */
  readonly answer: string;
  readonly reasoning: string;
  /** Null: it failed, was stopped, or enough had been read. */
  readonly finishReason:
    Extract<ModelEvent, { type: 'end' }>['finishReason'] | null;
};

/** USD per million tokens. */
export type ModelPrices = {
  readonly input: number;
  readonly output: number;
  /** Date of the list that they are from; absent: the profile's own. */
  readonly listed?: string;
};

export interface ILanguageModel {
  readonly identity: ModelIdentity;
  /** What the profile says; null or none: a list price where there is one, else unknown. */
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
