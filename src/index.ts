import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { commandsPlugin } from './lab/commands/commandsPlugin';
import { debuggerPlugin } from './lab/debugger/debuggerPlugin';
import { decorationsPlugin } from './lab/decorations/decorationsPlugin';
import { errorActionsPlugin } from './lab/decorations/errorActions';
import {
  evaluatorsPlugin,
  feedbackPlugin,
  modelsPlugin
} from './lab/extensions/extensionPlugins';
import { magicPlugin } from './lab/magic/magicPlugin';
import { managerPlugin } from './lab/managerPlugin';
import { panelPlugin } from './lab/panel/panelPlugin';
import { statusPlugin } from './lab/panel/statusPlugin';

export * from './tokens';

const plugins: readonly JupyterFrontEndPlugin<unknown>[] = [
  evaluatorsPlugin,
  feedbackPlugin,
  modelsPlugin,
  managerPlugin,
  commandsPlugin,
  debuggerPlugin,
  panelPlugin(async (manager, translator) => {
    const { RefinePanel } = await import('./ui/panel');
    return new RefinePanel(manager, translator);
  }),
  statusPlugin,
  decorationsPlugin,
  errorActionsPlugin,
  magicPlugin
];

export default plugins;
