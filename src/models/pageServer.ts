/**
 * Our server's routes in a page that has no server (JupyterLite): the browser
 * calls the provider, with the user's own key.
 */
import { quote } from './transport/failures';
import type { Fetch } from './call/chatModel';

/** As our server names what is typed into the panel. */
const PROFILE = 'panel';
const OPENAI = 'https://api.openai.com/v1';

/** Taken first of the listed models: small or made for code. */
const FIRST = /coder|codestral|devstral|gpt-[\d.]+o?-mini$|claude-sonnet/i;

/** Where the demo notebook is in a site that `make lite` built. */
const DEMO = 'fibonacci.ipynb';

type Provider = {
  readonly key: string;
  readonly baseUrl: string;
  readonly host: string;
  readonly models: readonly string[];
  /** Why it listed none. */
  readonly error: string | null;
};

/**
 * A `fetch` that answers `…/v1/profiles`, `key`, `demo` and `chat/completions`
 * as our server does. Key and URL are variables of this closure: never stored,
 * gone with the page.
 */
export function pageServer(): Fetch {
  let provider: Provider | null = null;
  return async (url, init) => {
    const request = new Request(url, init);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/demo')) {
      return Response.json({ path: DEMO });
    }
    if (pathname.endsWith('/key')) {
      const { key, baseUrl } = (await request.json()) as {
        readonly key: string;
        readonly baseUrl: string | null;
      };
      const address = (baseUrl ?? OPENAI).replace(/\/+$/, '');
      if (!/^https?:\/\/./.test(address) || !URL.canParse(address)) {
        return failed('bad-option', 400, `“${address}” is no web address.`);
      }
      const { host } = new URL(address);
      const asked = { key, baseUrl: address, host, models: [], error: null };
      provider = key || baseUrl ? await withModels(asked) : null;
    } else if (pathname.endsWith('/completions') && provider) {
      return streamed(provider, await call(provider, request));
    } else if (provider && /refresh=1/.test(request.url)) {
      provider = await withModels(provider);
    }
    return Response.json(profiles(provider));
  };
}

function profiles(provider: Provider | null): object {
  const { host = '', models = [], error = null } = provider ?? {};
  const model = models.find(name => FIRST.test(name)) ?? models[0] ?? null;
  return {
    version: '',
    default: model === null ? null : { profile: PROFILE, model },
    hints: [
      error ??
        'JupyterLite has no server, so this page calls the provider itself. Enter your own key: it stays in the memory of this page until you reload it.'
    ],
    profiles: provider
      ? [
          {
            name: PROFILE,
            host,
            models,
            defaultModel: model,
            demo: false,
            error
          }
        ]
      : []
  };
}

async function withModels(provider: Provider): Promise<Provider> {
  const response = await call(provider);
  const list = (await response.json().catch(() => null)) as {
    readonly data?: readonly { readonly id: string }[];
    readonly error?: { readonly message: string };
  } | null;
  const models = list?.data?.map(({ id }) => id) ?? [];
  const error =
    list?.error?.message ??
    `${provider.host} lists no models. Check the URL: it usually ends in /v1. To use one that is not listed, set it in the settings: ${PROFILE}/NAME.`;
  return { ...provider, models, error: models.length > 0 ? null : error };
}

/** The provider's answer; its errors are in the form of our server's. */
async function call(
  { key, baseUrl, host }: Provider,
  chat?: Request
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(
      `${baseUrl}/${chat ? 'chat/completions' : 'models'}`,
      {
        headers: {
          ...(chat ? { 'Content-Type': 'application/json' } : {}),
          ...(key ? { Authorization: `Bearer ${key}` } : {})
        },
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        ...(chat
          ? { method: 'POST', body: await chat.text(), signal: chat.signal }
          : {})
      }
    );
  } catch (error) {
    if (chat?.signal.aborted) {
      throw error;
    }
    return failed(
      'unreachable',
      502,
      `Cannot reach ${host} from this page. It is down, or it does not allow calls from web pages (CORS): check its address and its settings.`
    );
  }
  if (response.ok) {
    return response;
  }
  const { status } = response;
  const body = await response.text().catch(() => '');
  const { message = body, code, param } = errorOf(body);
  const said = quote(key ? message.replaceAll(key, '[key]') : message);
  const seconds = Number(response.headers.get('retry-after')) || null;
  const named =
    code === 'context_length_exceeded' ? 'context-too-long' : codeOf(status);
  const way = WAY_OUT[named] ?? '';
  return failed(
    named,
    status,
    `${host} answered with status ${status}.${said}${way}`,
    { param, retryAfterMs: seconds && seconds * 1000 }
  );
}

function streamed({ host }: Provider, response: Response): Response {
  const type = response.headers.get('content-type') ?? '';
  return response.ok && !/event-stream/i.test(type)
    ? failed(
        'not-an-api',
        502,
        `${host} sent no stream of a chat. Check the URL.`
      )
    : response;
}

const CODES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'model-not-found',
  429: 'rate-limited'
};

/** As our server says it in its own messages. */
const WAY_OUT: Readonly<Record<string, string>> = {
  unauthorized: ' Enter a valid key in the panel.',
  'context-too-long':
    ' Write a shorter prompt, or choose a model with a larger context.'
};

function codeOf(status: number): string {
  return CODES[status] ?? (status < 500 ? 'bad-request' : 'provider-error');
}

/** What an OpenAI-compatible server says in an error's body. */
function errorOf(body: string): {
  readonly message?: string;
  readonly code?: unknown;
  readonly param?: unknown;
} {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === 'string'
      ? { message: error }
      : { ...(error as object) };
  } catch {
    return {};
  }
}

function failed(
  code: string,
  status: number,
  message: string,
  more: object = {}
): Response {
  return Response.json(
    { error: { message, code, status, ...more } },
    { status }
  );
}
