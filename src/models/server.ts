/** Models through our Jupyter server, which holds the keys: `/jupyterlab-refine/v1/…`. */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../core/errors';
import type { ILanguageModel, ModelPrices } from '../core/domain/model';
import { ChatModel, type Fetch, type Tuning } from './call/chatModel';
import {
  fromStatus,
  notAnApi,
  unreachable,
  type ModelFailure
} from './transport/failures';
import {
  parseProfiles,
  setupOf,
  type ProfilesSetup,
  type ServerProfiles
} from './profiles';

export {
  type ProfilesSetup,
  type ServerPolicy,
  type ServerProfile,
  type ServerProfiles
} from './profiles';

const ROUTES = 'jupyterlab-refine/v1';

/** The only headers that go to the server: whatever else the client adds stays here. */
const SENT_HEADERS = ['accept', 'content-type', 'x-refine-profile'];

export type ServerModelOptions = {
  readonly settings: ServerConnection.ISettings;
  readonly profile: string;
  readonly model: string;
  /** The provider's host, for display and messages. */
  readonly host: string;
  /** True for the demo profile. */
  readonly recorded: boolean;
  readonly context?: number;
  readonly prices?: ModelPrices | null;
  readonly tuning?: Partial<Tuning>;
};

/** A model of one of the server's profiles. No key is known here. */
export function serverModel(options: ServerModelOptions): ILanguageModel {
  const { settings, profile, model, host, recorded, context } = options;
  return new ChatModel(
    {
      identity: {
        profile,
        model,
        host,
        recorded,
        ...(context === undefined ? {} : { context })
      },
      baseURL: URLExt.join(settings.baseUrl, ROUTES),
      // A header is ASCII; a profile may be called 研究.
      headers: { 'X-Refine-Profile': encodeURIComponent(profile) },
      fetch: fetchThrough(settings),
      prices: options.prices ?? null
    },
    options.tuning
  );
}

type ListOptions = {
  /** Ask the providers again instead of telling what the server remembers. */
  readonly refresh?: boolean;
};

/**
 * The profiles that the server offers.
 *
 * @throws RefineError with code `routes-missing`, `unreachable`, `unauthorized` …
 */
export async function fetchProfiles(
  settings: ServerConnection.ISettings,
  { refresh = false }: ListOptions = {}
): Promise<ServerProfiles> {
  const route = refresh ? 'profiles?refresh=1' : 'profiles';
  return parseProfiles(await requestJson(settings, route, {}));
}

/** The same as a state to show; does not throw. */
export async function listProfiles(
  settings: ServerConnection.ISettings,
  options: ListOptions = {}
): Promise<ProfilesSetup> {
  try {
    return setupOf(await fetchProfiles(settings, options));
  } catch (error) {
    if (!(error instanceof RefineError)) {
      throw error;
    }
    return error.code === 'routes-missing'
      ? { status: 'no-routes' }
      : { status: 'error', message: error.message };
  }
}

/**
 * Hand a key to the server, which keeps it.
 *
 * @param baseUrl - null: OpenAI's.
 * @throws RefineError, for example when the server's policy forbids it.
 */
export async function setServerKey(
  settings: ServerConnection.ISettings,
  key: string,
  baseUrl: string | null
): Promise<ProfilesSetup> {
  const body = JSON.stringify({ key, baseUrl });
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', body, headers };
  return setupOf(parseProfiles(await requestJson(settings, 'key', init)));
}

async function requestJson(
  settings: ServerConnection.ISettings,
  route: string,
  init: RequestInit
): Promise<unknown> {
  const where = { host: new URL(settings.baseUrl).host, model: '' };
  const url = `${URLExt.join(settings.baseUrl, ROUTES)}/${route}`;
  let response: Response;
  let text: string;
  try {
    response = await fetchThrough(settings)(url, init);
    text = await response.text();
  } catch (error) {
    throw asServerError(unreachable(error));
  }
  if (!response.ok) {
    throw asServerError(fromStatus(where, response.status, text));
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw asServerError(notAnApi('a web page'));
  }
}

function asServerError({ message, details }: ModelFailure): RefineError {
  return new RefineError('server', message, details);
}

/** `fetch` with Jupyter's authentication. */
function fetchThrough(settings: ServerConnection.ISettings): Fetch {
  return (url, init = {}) => {
    const all = new Headers(init.headers);
    const headers = Object.fromEntries(
      SENT_HEADERS.flatMap(name => {
        const value = all.get(name);
        return value === null ? [] : [[name, value]];
      })
    );
    return ServerConnection.makeRequest(
      String(url),
      { ...init, headers },
      settings
    );
  };
}
