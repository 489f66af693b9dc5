/** Which models of the server's write the candidates and judge them. */
import type { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../../core/errors';
import type { ILanguageModel } from '../../core/domain/model';
import type { RefineOptions } from '../../core/settings';
import { serverModel, type ServerProfiles } from '../../models/server';
import { identityOf } from '../../models/profiles';

/** Null: the server's default profile, the profile's default model. */
type WantedModel = {
  readonly profile: string | null;
  readonly model: string | null;
};

/** A hint of the server’s that only makes sense beside the panel’s field for a key. */
const FOR_THE_PANEL = /\benter a key here\b/i;

/** The models of a run, by their part in it. */
export type ChosenModels = {
  readonly generator: ILanguageModel;
  /** Null: the generator judges, where a judge is asked for. */
  readonly evaluator: ILanguageModel | null;
};

/** @throws RefineError kind `config` for one that is not there, with what can be done. */
export function chooseModels(
  settings: ServerConnection.ISettings,
  server: ServerProfiles,
  flags: WantedModel,
  { generatorModel, evaluatorModel }: RefineOptions
): ChosenModels {
  const chosen = (wanted: WantedModel) => chooseModel(settings, server, wanted);
  // The model of a setting belongs to the profile that it names, and not to that of a flag.
  const set =
    flags.profile === null
      ? wantedBySetting(generatorModel)
      : { profile: flags.profile, model: null };
  return {
    generator: chosen({ ...set, model: flags.model ?? set.model }),
    evaluator: evaluatorModel ? chosen(wantedBySetting(evaluatorModel)) : null
  };
}

/** Of `profile/model`, or a model alone. */
function wantedBySetting(setting: string): WantedModel {
  const slash = setting.indexOf('/');
  return slash > 0
    ? { profile: setting.slice(0, slash), model: setting.slice(slash + 1) }
    : { profile: null, model: setting || null };
}

/** The wanted model, through the server's proxy. */
function chooseModel(
  settings: ServerConnection.ISettings,
  server: ServerProfiles,
  wanted: WantedModel
): ILanguageModel {
  const { profiles, hints } = server;
  // Without a default model there is no default profile: the only one is meant.
  const own = profiles.filter(({ demo }) => !demo);
  const only = own.length === 1 ? own[0]!.name : null;
  const name = wanted.profile ?? server.default?.profile ?? only;
  if (name === null) {
    const shown = hints.filter(hint => !FOR_THE_PANEL.test(hint));
    throw noModel(['No model is configured.', ...shown].join('\n'));
  }
  const profile = profiles.find(known => known.name === name);
  if (!profile) {
    const names = profiles.map(known => known.name).join(', ');
    throw noModel(
      `There is no profile ${name} on this server; it has ${names || 'none'}.`
    );
  }
  const usual =
    server.default?.profile === name
      ? server.default.model
      : profile.defaultModel;
  const model = wanted.model ?? usual;
  if (model === null) {
    // A list that fails is no reason not to call a model that is named.
    const some = profile.models.slice(0, 12).join(', ');
    throw noModel(
      profile.error === null
        ? `Profile ${name} (${profile.host}) has no default model. Choose one with --model${some && `: ${some}`}.`
        : `Profile ${name}: ${profile.error}`
    );
  }
  return serverModel({
    settings,
    ...identityOf(server, name, model)!,
    prices: profile.prices?.[model] ?? null
  });
}

function noModel(message: string): RefineError {
  return new RefineError('config', message, { code: 'no-model' });
}
