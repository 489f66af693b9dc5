import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { commandsPlugin } from './lab/commands/commandsPlugin';
import { comparePlugin } from './lab/compare/comparePlugin';
import { debuggerPlugin } from './lab/debugger/debuggerPlugin';
import { decorationsPlugin } from './lab/decorations/decorationsPlugin';
import {
  evaluatorsPlugin,
  feedbackPlugin,
  modelsPlugin
} from './lab/extensions/extensionPlugins';
import { magicPlugin } from './lab/magic/magicPlugin';
import { launcherPlugin } from './lab/launcherPlugin';
import { managerPlugin } from './lab/managerPlugin';
import { panelPlugin } from './lab/panel/panelPlugin';
import { statusPlugin } from './lab/panel/statusPlugin';
import { settingsFormPlugin } from './lab/settings/settingsFormPlugin';
import { modelField } from './ui/settings/modelField';

export * from './tokens';

const plugins: readonly JupyterFrontEndPlugin<unknown>[] = [
  evaluatorsPlugin,
  feedbackPlugin,
  modelsPlugin,
  managerPlugin,
  commandsPlugin,
  launcherPlugin,
  debuggerPlugin,
  panelPlugin(async (manager, translator, factories) => {
    const { RefinePanel } = await import('./ui/panel');
    return new RefinePanel(manager, translator, factories);
  }),
  settingsFormPlugin(modelField),
  comparePlugin,
  statusPlugin,
  decorationsPlugin,
  magicPlugin
];

export default plugins;
