/** Our part of JupyterLab's settings form: models are chosen from a list. The rest is JupyterLab's, from the schema. */
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
import { IRefineManager } from '../../tokens';
import { PLUGIN_ID, TRANSLATION_DOMAIN } from '../ids';

/** Makes the entry; called once. */
export type ModelFieldMaker = (
  manager: IRefineManager,
  trans: TranslationBundle
) => NonNullable<IFormRenderer['fieldRenderer']>;

/** @param makeField - draws a setting that names a model. */
export function settingsFormPlugin(
  makeField: ModelFieldMaker
): JupyterFrontEndPlugin<void> {
  return {
    id: 'jupyterlab-refine:settings-form',
    description: 'Lets the settings choose a model from a list.',
    autoStart: true,
    requires: [IRefineManager],
    optional: [IFormRendererRegistry, ITranslator],
    activate: (
      app: JupyterFrontEnd,
      manager: IRefineManager,
      forms: IFormRendererRegistry | null,
      translator: ITranslator | null
    ) => {
      const fieldRenderer = makeField(
        manager,
        (translator ?? nullTranslator).load(TRANSLATION_DOMAIN)
      );
      for (const name of ['generatorModel', 'evaluatorModel']) {
        forms?.addRenderer(`${PLUGIN_ID}.${name}`, { fieldRenderer });
      }
    }
  };
}
