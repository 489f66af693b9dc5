/** Requests to a Jupyter server, whose failures name the server and what can be done. */
import { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../../core/errors';
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
  if (status === 403 && isReason(message)) {
    const way = /KERNEL_USERNAME/.test(message)
      ? ' Environment variables whose names start with KERNEL_ are sent to the server: set KERNEL_USERNAME.'
      : '';
    return new RefineError(
      'kernel',
      `The Jupyter server at ${baseUrl} could not start a kernel: ${message}${way}`,
      { cause }
    );
  }
  return status === 401 || status === 403
    ? refusedToken(settings, status)
    : new RefineError(
        'kernel',
        `The Jupyter server at ${baseUrl} reported an error: ${message}`,
        { cause }
      );
}

/** Without a token it wants the cookie of a browser that has logged in. */
function refusedToken(
  { baseUrl, token }: ServerConnection.ISettings,
  status: number
): RefineError {
  return new RefineError(
    'kernel',
    token === ''
      ? `The Jupyter server at ${baseUrl} requires a token (${status}). Give it with --token; start a server that has none with one.`
      : `The Jupyter server at ${baseUrl} refused the token (${status}). Give a valid one with --token.`,
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

/** The server gave a reason of its own, not only the words of the status. */
function isReason(message: string): boolean {
  return (
    message !== '' &&
    message !== 'Forbidden' &&
    !message.startsWith('Invalid response')
  );
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

/** Enterprise Gateway leaves `message` empty and puts the words into `reason`. */
export async function withReason(response: Response): Promise<Response> {
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
    return !body.message && typeof body.reason === 'string'
      ? JSON.stringify({ ...body, message: body.reason })
      : text;
  } catch {
    return text;
  }
}
