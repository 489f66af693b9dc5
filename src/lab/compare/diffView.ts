/** Two texts side by side in read-only editors, as JupyterLab's own editors look. */
import { goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { DisposableSet, type IDisposable } from '@lumino/disposable';
import { countChanges, FOLDED } from './merge';

export type DiffEditors = {
  readonly extensions: IEditorExtensionRegistry;
  readonly languages: IEditorLanguageRegistry;
};

/** One of the two texts, with the accessible name of its editor. */
type DiffText = { readonly label: string; readonly code: string };

/** Coarser and fast where two texts have little in common. */
const DIFF_LIMITS = { scanLimit: 1000, timeout: 200 };

/** In place of what the user's settings say of editors: text to read, not to write. */
const CONFIG = {
  readOnly: true,
  lineNumbers: true,
  codeFolding: false,
  highlightActiveLine: false,
  highlightTrailingWhitespace: false,
  matchBrackets: false,
  scrollPastEnd: false
};

/** Shown until it is disposed. */
export class DiffView implements IDisposable {
  constructor(
    parent: HTMLElement,
    left: DiffText,
    right: DiffText,
    mimeType: string,
    { extensions, languages }: DiffEditors
  ) {
    // Loaded already, as it is for the cells of an open notebook; else none.
    const language = languages.findByMIME(mimeType)?.support ?? [];
    const side = ({ label, code }: DiffText) => {
      const model = new CodeEditor.Model();
      const handler = extensions.createNew({
        inline: false,
        model,
        config: { ...CONFIG }
      });
      this.owned.add(handler);
      this.owned.add(model);
      return {
        doc: code,
        extensions: [
          ...handler.getInitialExtensions(),
          language,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': label })
        ]
      };
    };
    this.merge = new MergeView({
      parent,
      a: side(left),
      b: side(right),
      collapseUnchanged: FOLDED,
      diffConfig: DIFF_LIMITS
    });
  }

  get isDisposed(): boolean {
    return this.owned.isDisposed;
  }

  /** Number of parts that differ. */
  get changes(): number {
    return countChanges(this.merge.b);
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.merge.destroy();
      this.owned.dispose();
    }
  }

  /** Put the cursor into the next part that differs, or the one before. */
  go(direction: 'next' | 'previous'): void {
    const { b } = this.merge;
    (direction === 'next' ? goToNextChunk : goToPreviousChunk)(b);
    b.focus();
  }

  private readonly owned = new DisposableSet();
  private readonly merge: MergeView;
}
