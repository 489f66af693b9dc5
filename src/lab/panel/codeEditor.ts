/** JupyterLab's own code editor, in the panel. */
import { CodeEditor, type IEditorServices } from '@jupyterlab/codeeditor';
import type { PanelFactories } from '../../tokens';

export function codeEditors({
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
