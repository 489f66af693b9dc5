/** Which model of the server's writes the candidates. */
import type { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../../core/errors';
import type { ILanguageModel } from '../../core/domain/model';
import type { RefineOptions } from '../../core/settings';
import {
  serverModel,
  type ServerProfile,
  type ServerProfiles
} from '../../models/server';
import { identityOf } from '../../models/profiles';

type WantedModel = {
  /** Null: the server's default. */
  readonly profile: string | null;
  /** Null: the profile's default. */
  readonly model: string | null;
  /** A setting, `profile/model`; empty for none. */
  readonly setting: string;
};

/** A hint of the server’s that only makes sense beside the panel’s field for a key. */
const FOR_THE_PANEL = /\benter a key here\b/i;

/** The models of a run, by their part in it. */
export type ChosenModels = {
  readonly generator: ILanguageModel;
  /** Null: the generator judges, where a judge is asked for. */
  readonly evaluator: ILanguageModel | null;
};

/** @throws RefineError as {@link chooseModel} does, for each of them. */
export function chooseModels(
  settings: ServerConnection.ISettings,
  server: ServerProfiles,
  flags: Pick<WantedModel, 'profile' | 'model'>,
  options: RefineOptions
): ChosenModels {
  const { generatorModel, evaluatorModel } = options;
  const chosen = (setting: string, { profile, model }: typeof flags) =>
    chooseModel(settings, server, { profile, model, setting });
  return {
    generator: chosen(generatorModel, flags),
    evaluator: evaluatorModel
      ? chosen(evaluatorModel, { profile: null, model: null })
      : null
  };
}

/**
 * The wanted model, through the server's proxy.
 *
 * @throws RefineError kind `config` when there is none, with what can be done.
 */
export function chooseModel(
  settings: ServerConnection.ISettings,
  server: ServerProfiles,
  wanted: WantedModel
): ILanguageModel {
  const [settingProfile, settingModel] = splitSetting(wanted.setting);
  const name =
    wanted.profile ??
    settingProfile ??
    server.default?.profile ??
    onlyProfile(server);
  if (name === null) {
    const hints = server.hints.filter(hint => !FOR_THE_PANEL.test(hint));
    throw noModel(['No model is configured.', ...hints].join('\n'));
  }
  const profile = server.profiles.find(known => known.name === name);
  if (!profile) {
    const names = server.profiles.map(known => known.name);
    throw noModel(
      `There is no profile ${name} on this server; it has ${names.join(', ') || 'none'}.`
    );
  }
  const model =
    wanted.model ??
    (wanted.profile === null ? settingModel : null) ??
    (server.default?.profile === name ? server.default.model : null) ??
    profile.defaultModel;
  if (model === null) {
    // A list that fails is no reason not to call a model that is named.
    throw noModel(
      profile.error === null
        ? `Profile ${name} (${profile.host}) has no default model. Choose one with --model${offered(profile)}.`
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

/** Without a default model there is no default profile: the only one is meant. */
function onlyProfile({ profiles }: ServerProfiles): string | null {
  const [own, ...others] = profiles.filter(profile => !profile.demo);
  return own && others.length === 0 ? own.name : null;
}

function offered(profile: ServerProfile): string {
  const MOST = 12;
  return profile.models.length === 0
    ? ''
    : `: ${profile.models.slice(0, MOST).join(', ')}${profile.models.length > MOST ? ', …' : ''}`;
}

function splitSetting(
  setting: string
): readonly [string | null, string | null] {
  const slash = setting.indexOf('/');
  return slash > 0
    ? [setting.slice(0, slash), setting.slice(slash + 1)]
    : [null, setting || null];
}
