/** Two texts in read-only editors, side by side or as one with both, as JupyterLab's own editors look. */
import {
  goToNextChunk,
  goToPreviousChunk,
  MergeView,
  unifiedMergeView
} from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry,
  IExtensionsHandler
} from '@jupyterlab/codemirror';
import type { IDisposable } from '@lumino/disposable';
import { countChanges, DIFF_LIMITS, FOLDED, setOriginal } from './merge';

export type DiffLayout = 'side-by-side' | 'inline';

export type DiffEditors = {
  readonly extensions: IEditorExtensionRegistry;
  readonly languages: IEditorLanguageRegistry;
};

/** One of the two texts. */
export type DiffText = {
  /** Accessible name of its editor. */
  readonly label: string;
  readonly text: string;
};

export type DiffContent = {
  readonly left: DiffText;
  readonly right: DiffText;
  readonly mimeType: string;
  readonly layout: DiffLayout;
};

/** Shown until it is disposed; {@link update} follows texts that grow. */
export class DiffView implements IDisposable {
  constructor(
    private readonly parent: HTMLElement,
    content: DiffContent,
    editors: DiffEditors
  ) {
    const { left, right, mimeType, layout } = content;
    const language = languageOf(mimeType, editors.languages);
    this.right = new EditorText(right, editors.extensions, language);
    if (layout === 'inline') {
      this.left = null;
      const view = new EditorView({
        parent,
        doc: right.text,
        extensions: [
          this.right.extension,
          unifiedMergeView({
            original: left.text,
            mergeControls: false,
            collapseUnchanged: FOLDED,
            diffConfig: DIFF_LIMITS
          })
        ]
      });
      this.right.view = view;
      this.destroy = () => view.destroy();
    } else {
      this.left = new EditorText(left, editors.extensions, language);
      const merge = new MergeView({
        parent,
        a: { doc: left.text, extensions: this.left.extension },
        b: { doc: right.text, extensions: this.right.extension },
        collapseUnchanged: FOLDED,
        diffConfig: DIFF_LIMITS
      });
      this.left.view = merge.a;
      this.right.view = merge.b;
      this.destroy = () => merge.destroy();
    }
    parent.dataset.layout = layout;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Number of parts that differ. */
  get changes(): number {
    return this.right.view ? countChanges(this.right.view) : 0;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this.destroy();
    this.left?.dispose();
    this.right.dispose();
    delete this.parent.dataset.layout;
  }

  /** Other texts of the same two sides; what is folded stays so. */
  update(left: string, right: string): void {
    if (this.left) {
      this.left.set(left);
    } else if (this.right.view) {
      setOriginal(this.right.view, left);
    }
    this.right.set(right);
  }

  /** Put the cursor into the next part that differs, or the one before. */
  go(direction: 'next' | 'previous'): void {
    const { view } = this.right;
    if (view) {
      (direction === 'next' ? goToNextChunk : goToPreviousChunk)(view);
      view.focus();
    }
  }

  private readonly left: EditorText | null;
  private readonly right: EditorText;
  private readonly destroy: () => void;
  private _isDisposed = false;
}

/** One editor's text and extensions: those of the user's settings, which it follows. */
class EditorText implements IDisposable {
  constructor(
    { label, text }: DiffText,
    registry: IEditorExtensionRegistry,
    language: Extension
  ) {
    this.model = new CodeEditor.Model();
    this.model.sharedModel.setSource(text);
    this.handler = registry.createNew({
      inline: false,
      model: this.model,
      config: { ...CONFIG }
    });
    this.handler.configChanged.connect((_, changes) => {
      if (this.view) {
        this.handler.reconfigureExtensions(this.view, changes);
      }
    });
    this.extension = [
      ...this.handler.getInitialExtensions(),
      language,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label })
    ];
  }

  readonly extension: Extension;
  view: EditorView | null = null;

  get isDisposed(): boolean {
    return this.model.isDisposed;
  }

  dispose(): void {
    this.view = null;
    this.handler.dispose();
    this.model.dispose();
  }

  /** Only what differs between the ends that both have in common is replaced. */
  set(text: string): void {
    const { view } = this;
    const held = view?.state.doc.toString();
    if (!view || held === undefined || held === text) {
      return;
    }
    const most = Math.min(held.length, text.length);
    let from = 0;
    while (from < most && held[from] === text[from]) {
      from++;
    }
    let after = 0;
    while (
      after < most - from &&
      held[held.length - 1 - after] === text[text.length - 1 - after]
    ) {
      after++;
    }
    view.dispatch({
      changes: {
        from,
        to: held.length - after,
        insert: text.slice(from, text.length - after)
      }
    });
  }

  private readonly model: CodeEditor.Model;
  private readonly handler: IExtensionsHandler;
}

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

/** Support that is loaded already, as it is for the cells of an open notebook; else none. */
function languageOf(
  mimeType: string,
  languages: IEditorLanguageRegistry
): Extension {
  return languages.findByMIME(mimeType)?.support ?? [];
}
