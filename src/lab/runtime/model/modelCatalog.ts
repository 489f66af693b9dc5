/** The models that the server offers, and the one that is chosen. */
import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';
import type { ILanguageModel, ModelIdentity } from '../../../core/domain/model';
import {
  listProfiles,
  serverModel,
  setServerKey,
  type ProfilesSetup,
  type ServerPolicy,
  type ServerProfiles
} from '../../../models/server';
import {
  ENTERED_PROFILE,
  enteredServer,
  type IAddedModels,
  type IRefineModels,
  type ModelProfile,
  type ModelSetup,
  type ServerLimits
} from '../../../tokens';
import { RefineError } from '../../../core/errors';

export class ModelCatalog {
  /** @param chosen `profile/model` of the settings, empty for the server's default. */
  constructor(
    readonly settings: ServerConnection.ISettings,
    private readonly trans: TranslationBundle,
    private readonly chosen: () => string,
    private readonly added: IRefineModels
  ) {
    added.changed.connect(() => this.choose());
  }

  get setup(): ModelSetup {
    return this._setup;
  }

  /** Version of the server's part; empty before it answered. */
  get version(): string {
    return this.server?.version ?? '';
  }

  /** What the server allows; null before it answered. */
  get policy(): ServerPolicy | null {
    return this.server?.policy ?? null;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The chosen model, ready to be called; null when there is none. */
  get model(): ILanguageModel | null {
    return this._setup.status === 'ready'
      ? this.connect(this._setup.identity)
      : null;
  }

  /** A model by `profile/model`; null for an empty choice, and for one that the server does not have. */
  modelFor(choice: string): ILanguageModel | null {
    const setup =
      this.server && parseChoice(choice)
        ? chooseModel(this.offered(this.server), choice, this.trans)
        : null;
    return setup?.status === 'ready' ? this.connect(setup.identity) : null;
  }

  /**
   * Ask the server, once at a time; a failure becomes the set-up's status.
   *
   * @param again - the server also asks the providers, which it otherwise does every few minutes.
   */
  refresh(again = false): Promise<void> {
    this.refreshing ??= listProfiles(this.settings, { refresh: again })
      .then(setup => this.take(setup))
      .finally(() => {
        this.refreshing = null;
      });
    return this.refreshing;
  }

  /**
   * Hand a key to the server, which keeps it; two empty values make it forget.
   * Rejects with its reason when it refuses; why what it keeps cannot be used is returned.
   */
  async setKey(key: string, baseUrl: string | null): Promise<string | null> {
    this.take(await setServerKey(this.settings, key, baseUrl));
    return enteredServer(this._setup)?.error ?? null;
  }

  /** Read the choice again. */
  choose(): void {
    if (this.server) {
      this._setup = chooseModel(
        this.offered(this.server),
        this.chosen(),
        this.trans
      );
      this._changed.emit();
    }
  }

  private offered(server: ServerProfiles): ServerModels {
    return withAdded(server, [...this.added.items.values()]);
  }

  private connect(identity: ModelIdentity): ILanguageModel {
    const profile = this.server?.profiles.find(
      p => p.name === identity.profile
    );
    const added = this.added.items.get(identity.profile);
    if (!profile && added) {
      return addedModel(added, identity);
    }
    return serverModel({
      settings: this.settings,
      ...identity,
      prices: profile?.prices?.[identity.model] ?? null
    });
  }

  private take(setup: ProfilesSetup): void {
    if ('server' in setup) {
      this.server = setup.server;
      this.choose();
    } else {
      this.server = null;
      this._setup = setup;
      this._changed.emit();
    }
  }

  private refreshing: Promise<void> | null = null;
  private server: ServerProfiles | null = null;
  private _setup: ModelSetup = { status: 'loading' };
  private readonly _changed = new Signal<this, void>(this);
}

/** The server's models and the added ones. A profile of the server hides an added one of its name. */
export function withAdded(
  server: ServerModels,
  added: readonly IAddedModels[]
): ServerModels {
  const own = added.filter(
    ({ name }) => !server.profiles.some(profile => profile.name === name)
  );
  const [first] = own.flatMap(({ name, models }) =>
    models.map(model => ({ profile: name, model }))
  );
  return {
    ...server,
    default: server.default ?? first ?? null,
    profiles: [
      ...server.profiles,
      ...own.map(({ name, host, models }) => ({
        name,
        host,
        models,
        defaultModel: models[0] ?? null,
        demo: false
      }))
    ]
  };
}

export function addedModel(
  added: IAddedModels,
  identity: ModelIdentity
): ILanguageModel {
  return {
    identity,
    prices: added.prices?.[identity.model] ?? null,
    generate: async function* (request, signal) {
      try {
        yield* added.generate(identity.model, request, signal);
      } catch (error) {
        throw signal.aborted || error instanceof RefineError
          ? error
          : new RefineError(
              'model',
              `The model ${identity.profile}/${identity.model} of an extension failed: ${error instanceof Error ? error.message : String(error)}`,
              { code: 'provider-error', cause: error }
            );
      }
    }
  };
}

/** False for a chosen model of the server entered in the panel, where that is forgotten or lists others. */
export function isStillOffered(choice: string, setup: ModelSetup): boolean {
  const chosen = parseChoice(choice);
  const models = enteredServer(setup)?.models ?? [''];
  return (
    chosen?.profile !== ENTERED_PROFILE ||
    chosen.model === null ||
    models.length === 0 ||
    models.includes(chosen.model)
  );
}

/** Models that a sentence names. */
const LISTED = 8;

/** What the server reports of its models. */
export type ServerModels = {
  readonly default: { readonly profile: string; readonly model: string } | null;
  readonly hints: readonly string[];
  readonly profiles: readonly ModelProfile[];
  readonly policy?: ServerLimits;
};

/** `profile/model` of the settings; the model's own name may have slashes, a profile has none. */
export function parseChoice(
  text: string
): { readonly profile: string; readonly model: string | null } | null {
  const trimmed = text.trim();
  if (trimmed === '') {
    return null;
  }
  const slash = trimmed.indexOf('/');
  return slash < 0
    ? { profile: trimmed, model: null }
    : {
        profile: trimmed.slice(0, slash),
        model: trimmed.slice(slash + 1) || null
      };
}

/**
 * @param chosen `profile/model` from the settings or the panel; empty for the server's default.
 */
export function chooseModel(
  server: ServerModels,
  chosen: string,
  trans: TranslationBundle
): ModelSetup {
  const { profiles, hints } = server;
  const policy = server.policy ? { policy: server.policy } : {};
  const wanted = parseChoice(chosen) ?? server.default;
  if (!wanted) {
    return { status: 'no-model', hints, profiles, ...policy };
  }
  const profile = profiles.find(p => p.name === wanted.profile);
  if (!profile) {
    return {
      status: 'error',
      message: trans.__(
        'The settings choose %1, whose server is not known. A server entered here is forgotten when Jupyter restarts: enter it again, or choose another model.',
        chosen.trim()
      ),
      profiles,
      ...policy
    };
  }
  const model = wanted.model ?? profile.defaultModel ?? profile.models[0];
  if (model) {
    const { error, models } = profile;
    const problem =
      error ||
      // Ollama takes a name without its tag for the latest.
      (models.length > 0 &&
      !models.includes(model) &&
      !models.includes(`${model}:latest`)
        ? trans.__(
            '%1 does not list the model “%2”. It lists: %3. Choose one of them in the menu above.',
            profile.host,
            model,
            models.slice(0, LISTED).join(', ')
          )
        : '');
    // What is wrong with the chosen one, or that one of its models is to be chosen.
    const own = error || `${profile.name} (${profile.host})`;
    const others = hints.filter(hint => !hint.includes(own));
    return {
      status: 'ready',
      identity: identityOf(profile, model),
      profiles,
      ...(problem ? { problem } : {}),
      ...(others.length > 0 ? { hints: others } : {}),
      ...policy
    };
  }
  return { status: 'no-model', hints, profiles, ...policy };
}

function identityOf(profile: ModelProfile, model: string): ModelIdentity {
  return {
    profile: profile.name,
    model,
    host: profile.host,
    recorded: profile.demo
  };
}
