/** Which of the server's models is used; pure. */
import type { ModelIdentity } from '../../../core/domain/model';
import type { ModelProfile, ModelSetup, ServerLimits } from '../../../tokens';

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
 * @param unknown makes the sentence for a chosen profile that the server does not have.
 * @param unlisted makes the sentence for a model that its server does not list; it is called all the same.
 */
export function chooseModel(
  server: ServerModels,
  chosen: string,
  unknown: (profile: string, known: readonly string[]) => string,
  unlisted: (profile: ModelProfile, model: string) => string = () => ''
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
      message: unknown(
        wanted.profile,
        profiles.map(p => p.name)
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
        ? unlisted(profile, model)
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
