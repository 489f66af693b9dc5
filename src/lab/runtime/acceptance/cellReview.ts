/** A proposed source shown in its cell as a change, each part of which the user accepts or rejects. */
import { unifiedMergeView } from '@codemirror/merge';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { RefineQuestion } from '../../../tokens';
import { countChanges, FOLDED, setOriginal } from '../../compare/merge';

export type ReviewOptions = {
  readonly proposed: string;
  /** Shown as buttons below the change. */
  readonly choices: RefineQuestion['choices'];
  readonly onChoice: (choice: string) => void;
  readonly trans: TranslationBundle;
};

export type ICellReview = IDisposable & {
  /** What the cell would hold now: the proposed source without what was rejected. */
  readonly source: string;
};

/** The parts of JupyterLab's CodeMirror editor that a review uses; its package is no dependency. */
type MergeEditor = CodeEditor.IEditor & {
  readonly editor: EditorView;
  injectExtension(extension: Extension): void;
};

const REVIEWING_CLASS = 'jp-Refine-mod-reviewing';

/**
 * Show the change in an editor in place of the cell's own. The cell keeps its
 * source until somebody writes {@link ICellReview.source} into it. An edit of
 * that source by somebody else shows up in the change.
 *
 * @returns null where the cell has no editor, as long as it was never scrolled to.
 */
export function reviewInCell(
  cell: Cell,
  options: ReviewOptions
): ICellReview | null {
  const { inputArea } = cell;
  if (!inputArea || !cell.contentFactory) {
    return null;
  }
  return new CellReview(cell, inputArea.node, options);
}

class CellReview implements ICellReview {
  constructor(
    private readonly cell: Cell,
    inputNode: HTMLElement,
    private readonly options: ReviewOptions
  ) {
    const { trans } = options;
    this.model = new CodeEditor.Model({ mimeType: cell.model.mimeType });
    this.model.sharedModel.setSource(options.proposed);
    const host = document.createElement('div');
    host.className = 'jp-Refine-review-editor jp-Editor';
    this.remark.className = 'jp-Refine-review-remark';
    this.remark.setAttribute('role', 'status');
    this.node.className = 'jp-Refine-review jp-Refine-diff';
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Proposed change'));
    this.node.append(host, this.bar());
    // Enter presses a button here; it does not enter the cell.
    this.node.dataset.lmSuppressShortcuts = 'true';
    inputNode.append(this.node);
    cell.node.classList.add(REVIEWING_CLASS);
    this.editor = cell.contentFactory.editorFactory({
      host,
      model: this.model,
      config: { ...cell.editorConfig, readOnly: false }
    }) as MergeEditor;
    this.editor.injectExtension([
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({
        'aria-label': trans.__('Proposed change')
      }),
      EditorView.updateListener.of(() => this.update()),
      unifiedMergeView({
        original: this.held,
        gutter: false,
        collapseUnchanged: FOLDED,
        mergeControls: (type, action) => this.control(type, action)
      })
    ]);
    cell.model.sharedModel.changed.connect(this.onHeldChanged, this);
    cell.disposed.connect(this.dispose, this);
    this.update();
  }

  get source(): string {
    return this.model.sharedModel.getSource();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    const focused = this.node.contains(document.activeElement);
    this.cell.disposed.disconnect(this.dispose, this);
    this.cell.model?.sharedModel.changed.disconnect(this.onHeldChanged, this);
    this.cell.node.classList.remove(REVIEWING_CLASS);
    this.node.remove();
    this.editor.dispose();
    this.model.dispose();
    if (focused && !this.cell.isDisposed) {
      // Where the notebook gets its keys from.
      this.cell.node.focus();
    }
  }

  private get held(): string {
    return this.cell.model.sharedModel.getSource();
  }

  private bar(): HTMLElement {
    const bar = document.createElement('div');
    bar.className = 'jp-Refine-review-bar';
    const { choices, onChoice } = this.options;
    bar.append(
      this.remark,
      ...choices.map(({ id, label }) =>
        button(label, 'jp-Refine-review-choice', () => onChoice(id))
      )
    );
    return bar;
  }

  private control(
    type: 'accept' | 'reject',
    action: (event: MouseEvent) => void
  ): HTMLElement {
    const { trans } = this.options;
    const accepts = type === 'accept';
    const control = button(
      accepts ? trans.__('Accept') : trans.__('Reject'),
      'jp-Refine-review-part',
      event => {
        action(event);
        // The button is gone with its part; the next one follows.
        this.focusPart();
      }
    );
    control.title = accepts
      ? trans.__('Accept this part of the change')
      : trans.__('Reject this part: the cell keeps its own lines');
    return control;
  }

  /** The first part to review, else what ends the review. */
  private focusPart(): void {
    (
      this.node.querySelector<HTMLElement>('.jp-Refine-review-part') ??
      this.node.querySelector<HTMLElement>('.jp-Refine-review-choice')
    )?.focus();
  }

  /** Show how many parts are left to review; a part that is not rejected is written. */
  private update(): void {
    const open = countChanges(this.editor.editor);
    if (this._isDisposed || open === this.open) {
      return;
    }
    const { trans } = this.options;
    this.open = open;
    this.remark.textContent =
      open === 0
        ? trans.__('All parts reviewed')
        : trans._n('%1 part to review', '%1 parts to review', open);
  }

  private onHeldChanged(): void {
    setOriginal(this.editor.editor, this.held);
  }

  private readonly node = document.createElement('div');
  private readonly remark = document.createElement('span');
  private readonly model: CodeEditor.Model;
  private readonly editor: MergeEditor;
  /** Number of parts that are neither accepted nor rejected. */
  private open: number | null = null;
  private _isDisposed = false;
}

function button(
  label: string,
  className: string,
  onClick: (event: MouseEvent) => void
): HTMLButtonElement {
  const node = document.createElement('button');
  node.type = 'button';
  node.className = `jp-Refine-button ${className}`;
  node.textContent = label;
  node.addEventListener('click', onClick);
  return node;
}
