/** Reads the errors that our server reports: `{"error": {message, code, status, …}}`. */
import * as z from 'zod';

const errorSchema = z.looseObject({
  message: z.string(),
  code: z.string(),
  param: z.string().nullish().catch(null),
  status: z.number().nullish().catch(null),
  retryAfterMs: z.number().nullish().catch(null)
});
const bodySchema = z.looseObject({ error: errorSchema });

/** Characters of a message, and of a name in it, that are read: patterns search them. */
const MAX_TEXT = 4000;
const MAX_NAME = 200;

/** What our server reports of an error; `text` is its message, cut to 4,000 characters. */
export type ReportedError = {
  readonly text: string;
  readonly code: string;
  readonly param: string | null;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
};

/** A whole response body; null for one that is no error of our server. */
export function parseErrorBody(body: string): ReportedError | null {
  try {
    return readError(JSON.parse(body));
  } catch {
    return null;
  }
}

/** An error object, with or without the `error` around it; null for anything else. */
export function readError(value: unknown): ReportedError | null {
  const wrapped = bodySchema.safeParse(value);
  const parsed = wrapped.success
    ? { data: wrapped.data.error }
    : errorSchema.safeParse(value);
  if (!parsed.data) {
    return null;
  }
  const { message, code, param, status, retryAfterMs } = parsed.data;
  return {
    text: message.slice(0, MAX_TEXT),
    code: code.slice(0, MAX_NAME),
    param: param?.slice(0, MAX_NAME) ?? null,
    status: status ?? null,
    retryAfterMs: retryAfterMs ?? null
  };
}
