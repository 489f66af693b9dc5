/**
 * The optional parameters of a request, without those that a model is known
 * to refuse. A refusal is met once: it is remembered for that host and model
 * as long as the page or process lives.
 */
import type OpenAI from 'openai';
import type { ModelRequest } from '../../core/domain/model';
import type { ReportedError, Where } from '../transport/failures';

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

/** By host and model. */
const refusals = new Map<string, Set<OptionalName>>();

function refusedBy({ host, model }: Where): Set<OptionalName> {
  const key = JSON.stringify([host, model]);
  const names = refusals.get(key) ?? new Set();
  refusals.set(key, names);
  return names;
}

/** The parameters to send. */
export function parametersFor(
  where: Where,
  { temperature, maxOutputTokens, schema }: ModelRequest
): OptionalParameters {
  const refused = refusedBy(where);
  const all: OptionalParameters = {
    temperature,
    max_tokens: maxOutputTokens,
    max_completion_tokens: refused.has('max_tokens')
      ? maxOutputTokens
      : undefined,
    stream_options: { include_usage: true },
    ...(LOCAL.test(where.host) ? { return_progress: true } : {}),
    response_format: schema && {
      type: 'json_schema',
      json_schema: {
        name: schema.name,
        schema: schema.schema as Record<string, unknown>
      }
    }
  };
  return Object.fromEntries(
    OPTIONAL.filter(name => all[name] !== undefined && !refused.has(name)).map(
      name => [name, all[name]]
    )
  );
}

/**
 * Learn from a refusal of a request with the parameters `sent`: it is about that of its field, else the first sent
 * one that its text names, else the form of the answer, which servers name in ways of their own.
 *
 * @returns a sentence for the user, or null when the refusal is final.
 */
export function learnRefusal(
  where: Where,
  sent: OptionalParameters,
  { param, message }: ReportedError
): string | null {
  const names = OPTIONAL.filter(name => name in sent);
  const field = param?.split(/[.[]/)[0];
  const name =
    names.find(one => one === field) ??
    names.find(one => new RegExp(`\\b${one}\\b`).test(message)) ??
    names.find(one => one === 'response_format');
  if (!name) {
    return null;
  }
  refusedBy(where).add(name);
  const instead =
    name === 'max_tokens' ? 'as max_completion_tokens' : 'without it';
  return `Model ${where.model} at ${where.host} does not take ${name}: sent again ${instead}.`;
}
