/** Which of the server's models is used. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ModelIdentity } from '../../../core/domain/model';
import type { ModelProfile, ModelSetup, ServerLimits } from '../../../tokens';

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
        'The settings choose a model of the profile “%1”, which does not exist. Profiles: %2.',
        wanted.profile,
        profiles.map(({ name }) => name).join(', ')
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
    const others = hints.filter(hint => !error || !hint.includes(error));
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
