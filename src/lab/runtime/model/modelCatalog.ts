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
import type { IRefineModels, ModelSetup, IAddedModels } from '../../../tokens';
import { chooseModel, parseChoice, type ServerModels } from './modelChoice';
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

  /** Hand a key to the server, which keeps it; rejects with its reason when it refuses. */
  async setKey(key: string, baseUrl: string | null): Promise<void> {
    this.take(await setServerKey(this.settings, key, baseUrl));
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
