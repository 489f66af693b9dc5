/** Our entries in JupyterLab's settings form. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import {
  IFormRendererRegistry,
  type IFormRenderer
} from '@jupyterlab/ui-components';
import { SETTING_NAMES } from '../../core/settingGroups';
import {
  IRefineEvaluators,
  IRefineFeedbackStrategies,
  IRefineManager
} from '../../tokens';
import { PLUGIN_ID, TRANSLATION_DOMAIN } from '../ids';

/** Makes the entry; called once. */
export type SettingFieldMaker = (services: {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  readonly added: () => {
    readonly evaluators: readonly string[];
    readonly feedback: readonly string[];
  };
}) => NonNullable<IFormRenderer['fieldRenderer']>;

/** The same entry renders every setting: it knows from name and schema what to show. */
export function settingsFormPlugin(
  makeField: SettingFieldMaker
): JupyterFrontEndPlugin<void> {
  return {
    id: 'jupyterlab-refine:settings-form',
    description:
      'Shows the settings of Refine in groups, with the server’s limits.',
    autoStart: true,
    requires: [IRefineManager, IRefineEvaluators, IRefineFeedbackStrategies],
    optional: [IFormRendererRegistry, ITranslator],
    activate: (
      app: JupyterFrontEnd,
      manager: IRefineManager,
      evaluators: IRefineEvaluators,
      feedback: IRefineFeedbackStrategies,
      forms: IFormRendererRegistry | null,
      translator: ITranslator | null
    ) => {
      if (!forms) {
        return;
      }
      const fieldRenderer = makeField({
        manager,
        trans: (translator ?? nullTranslator).load(TRANSLATION_DOMAIN),
        added: () => ({
          evaluators: [...evaluators.items.keys()],
          feedback: [...feedback.items.keys()]
        })
      });
      for (const name of SETTING_NAMES) {
        forms.addRenderer(`${PLUGIN_ID}.${name}`, { fieldRenderer });
      }
    }
  };
}
