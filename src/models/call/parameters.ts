/**
 * The optional parameters of a request, without those that a model is known
 * to refuse. A refusal is met once: it is remembered for that host and model
 * as long as the page or process lives.
 */
import type OpenAI from 'openai';
import type { ModelRequest } from '../../core/domain/model';
import type { ReportedError } from '../transport/failures';
import { systemClock, type IClock } from '../../core/clock';

const OPTIONAL = [
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'stream_options',
  'return_progress',
  'response_format'
] as const;

/** Servers of this machine, which read slowly and ignore what they do not know. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/;

type OptionalName = (typeof OPTIONAL)[number];

/** The optional part of the body of a chat completion. */
export type OptionalParameters = Readonly<
  Pick<
    OpenAI.ChatCompletionCreateParamsStreaming,
    Exclude<OptionalName, 'return_progress'>
  > & {
    /** llama.cpp's: how far it has read the prompt. */
    return_progress?: true;
  }
>;

export class ParameterMemory {
  /** The parameters to send to `host` and `model`. */
  parameters(
    host: string,
    model: string,
    request: ModelRequest
  ): OptionalParameters {
    const refused = this._refused(host, model);
    const { temperature, maxOutputTokens, schema } = request;
    const all: OptionalParameters = {
      temperature,
      max_tokens: maxOutputTokens,
      max_completion_tokens: refused.has('max_tokens')
        ? maxOutputTokens
        : undefined,
      stream_options: { include_usage: true },
      ...(LOCAL.test(host) ? { return_progress: true as const } : {}),
      response_format: schema && {
        type: 'json_schema',
        json_schema: {
          name: schema.name,
          schema: schema.schema as Record<string, unknown>
        }
      }
    };
    return Object.fromEntries(
      OPTIONAL.filter(
        name => all[name] !== undefined && !refused.has(name)
      ).map(name => [name, all[name]])
    );
  }

  /**
   * Learn from a refusal of a request with the parameters `sent`.
   *
   * @returns a sentence for the user, or null when the refusal is final.
   */
  learn(
    host: string,
    model: string,
    sent: OptionalParameters,
    refusal: ReportedError
  ): string | null {
    const name = refusedParameter(sent, refusal);
    if (name === null) {
      return null;
    }
    this._refused(host, model).add(name);
    return name === 'max_tokens'
      ? `Model ${model} at ${host} does not take max_tokens: sent again as max_completion_tokens.`
      : `Model ${model} at ${host} does not take ${name}: sent again without it.`;
  }

  private _refused(host: string, model: string): Set<OptionalName> {
    const key = JSON.stringify([host, model]);
    let names = this._memory.get(key);
    if (!names) {
      names = new Set();
      this._memory.set(key, names);
    }
    return names;
  }

  private readonly _memory = new Map<string, Set<OptionalName>>();
}

/** The parameter that a refusal is about: from its field, else the first sent one that its text names, else the form of the answer, which servers name in ways of their own. */
function refusedParameter(
  sent: OptionalParameters,
  { param, message }: ReportedError
): OptionalName | null {
  const names = OPTIONAL.filter(name => name in sent);
  const field = param?.split(/[.[]/)[0];
  return (
    names.find(name => name === field) ??
    names.find(name => new RegExp(`\\b${name}\\b`).test(message)) ??
    names.find(name => name === 'response_format') ??
    null
  );
}

/** Shared by all models of the page or process. */
export const sharedParameterMemory = new ParameterMemory();

export type Tuning = {
  /** Calls made again after a failure that may pass. */
  readonly maxRetries: number;
  /** First wait before a retry; doubled each time. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** A provider that asks for a longer wait is not asked again. */
  readonly maxRetryAfterMs: number;
  /** Nor one that asks for more than this in all, until it answers. */
  readonly maxWaitMs: number;
  readonly clock: IClock;
};

/** Time limits and retry bounds of model calls. Tests inject short ones. */
export const DEFAULT_TUNING: Tuning = {
  maxRetries: 2,
  backoffMs: 500,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
  maxWaitMs: 300_000,
  clock: systemClock
};
