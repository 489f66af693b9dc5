import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISessionContextDialogs } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CONTROL_REQUEST } from '../kernel/channel/messageTypes';
import {
  IRefineEvaluators,
  IRefineFeedbackStrategies,
  IRefineManager,
  IRefineModels
} from '../tokens';
import { PLUGIN_ID, TRANSLATION_DOMAIN } from './ids';
import { lazyManager } from './lazyManager';
import { PageConfig } from '@jupyterlab/coreutils';

/** Provides the manager; sessions, kernel and model code load on first use. */
export const managerPlugin: JupyterFrontEndPlugin<IRefineManager> = {
  id: PLUGIN_ID,
  description: 'Refines notebook cells against assertions.',
  autoStart: true,
  requires: [
    INotebookTracker,
    IRefineEvaluators,
    IRefineFeedbackStrategies,
    IRefineModels
  ],
  optional: [ITranslator, ISettingRegistry, ISessionContextDialogs],
  provides: IRefineManager,
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    evaluators: IRefineEvaluators,
    feedback: IRefineFeedbackStrategies,
    models: IRefineModels,
    translator: ITranslator | null,
    settings: ISettingRegistry | null,
    dialogs: ISessionContextDialogs | null
  ): IRefineManager => {
    leaveUntracked(CONTROL_REQUEST);
    return lazyManager(async () => {
      const { RefineManager } = await import('./runtime/manager');
      return new RefineManager({
        tracker,
        shell: app.shell,
        commands: app.commands,
        services: app.serviceManager,
        trans: (translator ?? nullTranslator).load(TRANSLATION_DOMAIN),
        extensions: { evaluators: evaluators.items, feedback: feedback.items },
        models,
        settings,
        dialogs
      });
    });
  }
};

/** JSON list of message types whose states JupyterLab's kernels do not show as their own. */
const OPTION = 'untracked_message_types';

/** Have the kernel's indicator not follow messages of this type. */
function leaveUntracked(messageType: string): void {
  const types: unknown = JSON.parse(PageConfig.getOption(OPTION) || '[]');
  if (Array.isArray(types) && !types.includes(messageType)) {
    PageConfig.setOption(OPTION, JSON.stringify([...types, messageType]));
  }
}
