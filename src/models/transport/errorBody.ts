/** Reads the error bodies that OpenAI-compatible servers send, in all their shapes. */
import * as z from 'zod';

const fieldsSchema = z.looseObject({
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish().catch(null),
  param: z.string().nullish().catch(null),
  status: z.number().nullish().catch(null),
  retryAfterMs: z.number().nullish().catch(null)
});

/** Characters of a message, and of a name in it, that are read: patterns search them. */
const MAX_TEXT = 4000;
const MAX_NAME = 200;

/** What a body tells of an error; `text` is as the provider wrote it, cut to 4,000 characters. */
export type ProviderError = {
  readonly text: string;
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** False for a body that is no JSON object of an error: a page, a proxy's text. */
  readonly structured: boolean;
};

/** A whole response body. */
export function parseErrorBody(body: string): ProviderError {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const text = body.slice(0, MAX_TEXT);
    return unstructured(looksLikeHtml(text) ? '' : text);
  }
  return readError(value);
}

/** An error object, with or without the `error` around it. Gemini's compatible endpoint puts it into a list. */
export function readError(value: unknown): ProviderError {
  const item: unknown = Array.isArray(value) ? value[0] : value;
  const inner = wrapped(item);
  if (typeof inner === 'string') {
    return { ...unstructured(inner), structured: true };
  }
  const fields = fieldsSchema.safeParse(inner);
  if (!fields.success) {
    return unstructured(asText(value));
  }
  const { message, detail, code, type, param, status, retryAfterMs } =
    fields.data;
  return {
    text: asText(message ?? detail ?? inner),
    code: typeof code === 'string' ? code.slice(0, MAX_NAME) : null,
    type: type?.slice(0, MAX_NAME) ?? null,
    param: param?.slice(0, MAX_NAME) ?? null,
    status: status ?? (typeof code === 'number' ? code : null),
    retryAfterMs: retryAfterMs ?? null,
    structured: inner !== item || message !== undefined || detail !== undefined
  };
}

/** True for a page, whatever its content type says. */
function looksLikeHtml(text: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(text);
}

function wrapped(item: unknown): unknown {
  return typeof item === 'object' &&
    item !== null &&
    'error' in item &&
    item.error
    ? item.error
    : item;
}

function unstructured(text: string): ProviderError {
  return {
    text: text.slice(0, MAX_TEXT),
    code: null,
    type: null,
    param: null,
    status: null,
    retryAfterMs: null,
    structured: false
  };
}

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').slice(0, MAX_TEXT);
}
