import { ILayoutRestorer } from '@jupyterlab/application';
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { CodeEditor, IEditorServices } from '@jupyterlab/codeeditor';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { BoxLayout, Widget } from '@lumino/widgets';
import { IRefineManager, type PanelFactories } from '../../tokens';
import { refineIcon } from '../icons';
import { CommandIDs, PANEL_ID, TRANSLATION_DOMAIN } from '../ids';
import { markdownRenderers } from './markdown';
import { widenOnce } from './panelWidth';
import { showPanel } from './showPanel';

/** Makes the panel's content; called once, when the panel is shown for the first time. */
export type PanelLoader = (
  manager: IRefineManager,
  translator: ITranslator,
  factories: PanelFactories
) => Promise<Widget>;

/** The shell of the panel: there from the start, so that a layout can be restored; its content comes when it is seen. */
class PanelShell extends Widget {
  constructor(private readonly loadContent: () => Promise<Widget>) {
    super();
    this.id = PANEL_ID;
    this.addClass('jp-Refine-shell');
    this.layout = new BoxLayout({ spacing: 0 });
  }

  protected override onBeforeShow(msg: Message): void {
    super.onBeforeShow(msg);
    void this.fill();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (this.isVisible) {
      void this.fill();
    }
  }

  private fill(): Promise<void> {
    this.filling ??= this.loadContent().then(
      content => {
        if (this.isDisposed) {
          content.dispose();
        } else {
          (this.layout as BoxLayout).addWidget(content);
        }
      },
      reason => {
        this.filling = null;
        throw reason;
      }
    );
    return this.filling;
  }

  private filling: Promise<void> | null = null;
}

/** JupyterLab's own code editor, in the panel. */
function codeEditors({
  factoryService,
  mimeTypeService
}: IEditorServices): PanelFactories['createEditor'] {
  return (host, { source, language, label }) => {
    const mimeType = mimeTypeService.getMimeTypeByLanguage({ name: language });
    const model = new CodeEditor.Model({
      mimeType: Array.isArray(mimeType) ? mimeType[0] : mimeType
    });
    model.sharedModel.setSource(source);
    const editor = factoryService.newInlineEditor({
      host,
      model,
      config: { lineNumbers: true, lineWrap: false }
    });
    host.querySelector('[role=textbox]')?.setAttribute('aria-label', label);
    return {
      source: () => model.sharedModel.getSource(),
      focus: () => editor.focus(),
      dispose: () => {
        editor.dispose();
        model.dispose();
      }
    };
  };
}

/** The side panel; `loadContent` is the only way from here to the views. */
export function panelPlugin(
  loadContent: PanelLoader
): JupyterFrontEndPlugin<void> {
  return {
    id: 'jupyterlab-refine:panel',
    description: 'Shows refinement in a side panel.',
    autoStart: true,
    requires: [IRefineManager, IRenderMimeRegistry, IEditorServices],
    optional: [ITranslator, ILayoutRestorer, IStateDB],
    activate: (
      app: JupyterFrontEnd,
      manager: IRefineManager,
      rendermime: IRenderMimeRegistry,
      editors: IEditorServices,
      maybeTranslator: ITranslator | null,
      restorer: ILayoutRestorer | null,
      state: IStateDB | null
    ) => {
      const translator = maybeTranslator ?? nullTranslator;
      const trans = translator.load(TRANSLATION_DOMAIN);
      const shell = new PanelShell(async () => {
        if (state) {
          void widenOnce(shell, state);
        }
        // The panel works before the server has answered; it says that models are loading.
        void manager.refreshModels();
        const { displayRenderer } = await import('../outputs/displayRenderer');
        return loadContent(manager, translator, {
          renderer: displayRenderer(rendermime),
          createMarkdown: markdownRenderers(rendermime),
          createEditor: codeEditors(editors)
        });
      });
      shell.title.icon = refineIcon;
      shell.title.caption = trans.__('Refine');
      shell.node.setAttribute('role', 'region');
      shell.node.setAttribute('aria-label', trans.__('Refine'));
      app.shell.add(shell, 'right', { rank: 850, type: 'Refine' });
      restorer?.add(shell, PANEL_ID);

      app.commands.addCommand(CommandIDs.showPanel, {
        label: trans.__('Refine Panel'),
        describedBy: { args: { type: 'object', properties: {} } },
        caption: trans.__('Show the Refine panel'),
        icon: refineIcon,
        execute: () => {
          if (shell.isAttached) {
            showPanel(app.shell);
          }
        }
      });
    }
  };
}
