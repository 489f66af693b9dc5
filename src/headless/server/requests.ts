/** Requests to a Jupyter server, whose failures name the server and what can be done. */
import { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../../core/errors';
import { connectionReason } from '../../models/transport/failures';
import { fetchProfiles, type ServerProfiles } from '../../models/server';

/** What a failed request is reported as: kind `kernel`, with code `unreachable` when the server cannot be reached. */
export function namedFailure(
  settings: ServerConnection.ISettings,
  cause: unknown
): RefineError {
  const { baseUrl } = settings;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ServerConnection.NetworkError) {
    return new RefineError(
      'kernel',
      `Cannot reach the Jupyter server at ${baseUrl}: ${message}.`,
      { code: 'unreachable', cause }
    );
  }
  const status =
    cause instanceof ServerConnection.ResponseError
      ? cause.response.status
      : null;
  // Enterprise Gateway answers 403 with a reason of its own, such as a missing KERNEL_USERNAME.
  const isPlain = /^(Forbidden$|Invalid response|$)/.test(message);
  return status === 401 || (status === 403 && isPlain)
    ? refusedToken(settings, status)
    : new RefineError(
        'kernel',
        `The Jupyter server at ${baseUrl} reported an error: ${message}`,
        { cause }
      );
}

function refusedToken(
  { baseUrl, token }: ServerConnection.ISettings,
  status: number
): RefineError {
  const none = token
    ? ''
    : ' A server without a token refuses what is no browser: start it with one.';
  return new RefineError(
    'kernel',
    `The Jupyter server at ${baseUrl} requires a valid token (${status}). Give it with --token.${none}`,
    { code: 'unauthorized' }
  );
}

/** The models of a server that has our extension. */
export async function profilesOf(
  settings: ServerConnection.ISettings
): Promise<ServerProfiles> {
  try {
    return await fetchProfiles(settings);
  } catch (error) {
    if (
      error instanceof RefineError &&
      error.kind === 'server' &&
      error.code === 'unauthorized'
    ) {
      throw refusedToken(settings, error.details.numbers?.['status'] ?? 403);
    }
    throw error;
  }
}

/** The server has no place for a kernel at the moment. Enterprise Gateway answers 403 and names its limit. */
export function isFull(cause: unknown): boolean {
  if (!(cause instanceof ServerConnection.ResponseError)) {
    return false;
  }
  const { status } = cause.response;
  return (
    status === 429 ||
    status === 503 ||
    (status === 403 && /\bmax kernels\b|^resource limit$/i.test(cause.message))
  );
}

/**
 * `fetch` for the Jupyter client, which drops the cause of a failure, and reads only the `message` of an answer:
 * Enterprise Gateway puts its words into `reason`.
 */
export async function fetchWithReason(
  ...args: Parameters<typeof fetch>
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(...args);
  } catch (cause) {
    throw new TypeError(connectionReason(cause), { cause });
  }
  if (response.ok) {
    return response;
  }
  const text = await response.text();
  const { status, statusText, headers } = response;
  return new Response(withMessage(text), { status, statusText, headers });
}

function withMessage(text: string): string {
  try {
    const body = JSON.parse(text) as { message?: unknown; reason?: unknown };
    return JSON.stringify({ ...body, message: body.message || body.reason });
  } catch {
    return text;
  }
}
