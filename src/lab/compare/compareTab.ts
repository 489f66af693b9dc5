/** The tab that shows two attempts of a session, or an attempt and the cell, side by side. */
import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import { DisposableDelegate, DisposableSet } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import { assertionCounts } from '../../core/events/counts';
import type { AttemptState, SessionState } from '../../core/events/state';
import { refineIcon } from '../icons';
import { countChanges, FOLDED } from './merge';

type CompareOptions = {
  /** What the cell holds; null where it is gone. */
  readonly source: string | null;
  readonly editors: {
    readonly extensions: IEditorExtensionRegistry;
    readonly languages: IEditorLanguageRegistry;
    readonly mimeType: string;
  };
  readonly trans: TranslationBundle;
};

/** Number of an attempt as text, or `cell`. */
type Side = {
  readonly id: string;
  readonly label: string;
  readonly code: string;
};

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

/** Session and cell as they were when it was opened. */
export class CompareTab extends Widget {
  constructor(
    session: SessionState,
    private readonly options: CompareOptions
  ) {
    super();
    const { trans, source } = options;
    const index = session.request?.target.index ?? 0;
    this.id = 'jp-refine-compare';
    this.addClass('jp-Refine-compare');
    this.title.icon = refineIcon;
    this.title.closable = true;
    this.title.label = trans.__('Compare cell %1', index + 1);
    this.node.setAttribute('aria-label', this.title.label);
    this.sides = sidesOf(session, source, trans);
    this.left = this.select(trans.__('Compare'));
    this.right = this.select(trans.__('Compare with'));
    this.remark.className = 'jp-Refine-compare-remark';
    this.remark.setAttribute('role', 'status');
    const bar = document.createElement('div');
    bar.className = 'jp-Refine-compare-bar';
    bar.append(
      trans.__('Compare'),
      this.left,
      trans.__('with'),
      this.right,
      this.remark
    );
    this.host.className = 'jp-Refine-compare-host jp-Refine-diff';
    this.node.append(bar, this.host);
  }

  /** Show this pair; what is left out, or names nothing, is the newest attempt and the one before it. */
  compare(asked: { readonly left?: unknown; readonly right?: unknown }): void {
    const attempts = this.sides.filter(({ id }) => id !== 'cell');
    const find = (id: unknown) =>
      this.sides.findIndex(side => side.id === String(id));
    const known = find(asked.right);
    const right = known < 0 ? attempts.length - 1 : known;
    const before = find(asked.left);
    this.right.selectedIndex = right;
    // The first attempt is compared with the cell.
    const other = right > 0 ? right - 1 : this.sides.length - 1;
    this.left.selectedIndex = before < 0 ? other : before;
    this.render();
  }

  override dispose(): void {
    this.shown.dispose();
    super.dispose();
  }

  protected override onActivateRequest(): void {
    this.left.focus();
  }

  private render(): void {
    this.shown.dispose();
    this.shown = new DisposableSet();
    const { trans } = this.options;
    const a = this.sides[this.left.selectedIndex];
    const b = this.sides[this.right.selectedIndex];
    if (!a || !b) {
      return;
    }
    const merge = new MergeView({
      parent: this.host,
      a: this.editor(a),
      b: this.editor(b),
      collapseUnchanged: FOLDED,
      diffConfig: DIFF_LIMITS
    });
    this.shown.add(new DisposableDelegate(() => merge.destroy()));
    const changes = countChanges(merge.b);
    this.remark.textContent =
      changes === 0
        ? trans.__('No difference.')
        : trans._n('%1 change.', '%1 changes.', changes);
  }

  /** As JupyterLab's own editors look; the language is loaded already, as it is for the cells of an open notebook. */
  private editor({ label, code }: Side) {
    const { extensions, languages, mimeType } = this.options.editors;
    const model = new CodeEditor.Model();
    const handler = extensions.createNew({
      inline: false,
      model,
      config: { ...CONFIG }
    });
    this.shown.add(handler);
    this.shown.add(model);
    return {
      doc: code,
      extensions: [
        ...handler.getInitialExtensions(),
        languages.findByMIME(mimeType)?.support ?? [],
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label })
      ]
    };
  }

  private select(label: string): HTMLSelectElement {
    const select = document.createElement('select');
    select.className = 'jp-Refine-compare-select';
    select.setAttribute('aria-label', label);
    select.append(...this.sides.map(({ id, label }) => new Option(label, id)));
    select.addEventListener('change', () => this.render());
    return select;
  }

  private readonly sides: readonly Side[];
  private readonly left: HTMLSelectElement;
  private readonly right: HTMLSelectElement;
  private readonly remark = document.createElement('div');
  private readonly host = document.createElement('div');
  private shown = new DisposableSet();
}

/** Attempts whose code is whole in order, then the cell. */
function sidesOf(
  { attempts }: SessionState,
  source: string | null,
  trans: TranslationBundle
): readonly Side[] {
  const whole = attempts
    .filter(({ code, phase }) => code !== '' && phase !== 'writing')
    .map(attempt => ({
      id: String(attempt.attempt),
      label: attemptLabel(attempt, trans),
      code: attempt.code
    }));
  const cell = { id: 'cell', label: trans.__('Cell now'), code: source ?? '' };
  return source === null ? whole : [...whole, cell];
}

/** `Attempt 3 · 3 of 4` */
function attemptLabel(attempt: AttemptState, trans: TranslationBundle): string {
  const name =
    attempt.attempt === 0
      ? trans.__('Attempt 0 (start)')
      : trans.__('Attempt %1', attempt.attempt);
  const counts = assertionCounts(attempt);
  return counts === null
    ? name
    : trans.__('%1 · %2 of %3', name, counts.passed, counts.total);
}
