import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { ServiceManager } from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { Extensions } from '../../core/deps';
import type { IRefineModels } from '../../tokens';
import type { ICellDecorations } from '../decorations/decorations';

/** What the manager gets of the application; everything but the tracker and the services may be missing. */
export type ManagerPorts = {
  readonly tracker: INotebookTracker;
  readonly shell: JupyterFrontEnd.IShell;
  readonly commands: CommandRegistry;
  readonly services: ServiceManager.IManager;
  readonly trans: TranslationBundle;
  readonly extensions: Extensions;
  readonly models: IRefineModels;
  readonly settings: ISettingRegistry | null;
  readonly dialogs: ISessionContextDialogs | null;
  readonly decorations: ICellDecorations | null;
};
