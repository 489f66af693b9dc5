/** Models from other extensions, beside those of the server. */
import { RefineError } from '../../../core/errors';
import type { ILanguageModel, ModelIdentity } from '../../../core/domain/model';
import type { IAddedModels } from '../../../tokens';
import type { ServerModels } from './modelChoice';

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
