/** The tab that shows two attempts of a session, or an attempt and the cell, against each other. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import type { SessionState } from '../../core/events/state';
import { pastDate, type HistoryView, type IRefineManager } from '../../tokens';
import { refineIcon } from '../icons';
import { cellLabel } from '../runtime/words';
import { findCell } from '../runtime/cells/notebookEdits';
import { DiffView, type DiffEditors, type DiffLayout } from './diffView';
import {
  pairOf,
  sidesOf,
  type Side,
  type SideId,
  type SidePair
} from './sides';

export type CompareOptions = {
  readonly manager: IRefineManager;
  readonly panel: NotebookPanel;
  readonly cellId: string;
  /** An earlier session, which does not change; null: the target's present one. */
  readonly past: PastView | null;
  readonly mimeType: string;
  readonly editors: DiffEditors;
  readonly trans: TranslationBundle;
};

type PastView = NonNullable<HistoryView['shown']>;

/** Follows its session while that goes on; closes with the notebook. */
export class CompareTab extends Widget {
  constructor(private readonly compared: CompareOptions) {
    super();
    const { manager, panel, trans } = compared;
    this.id = `jp-refine-compare-${UUID.uuid4()}`;
    this.addClass('jp-Refine-compare');
    this.bar.className = 'jp-Refine-compare-bar';
    this.title.icon = refineIcon;
    this.title.closable = true;
    this.remark.className = 'jp-Refine-compare-remark';
    this.remark.setAttribute('role', 'status');
    this.host.className = 'jp-Refine-compare-host jp-Refine-diff';
    this.node.append(this.bar, this.host);
    this.left = this.addSelect(
      'left',
      trans.__('Compare'),
      trans.__('Compare')
    );
    this.right = this.addSelect(
      'right',
      trans.__('with'),
      trans.__('Compare with')
    );
    this.inline = this.addButton(trans.__('Inline'), () => this.toggleLayout());
    this.addButton(trans.__('Previous change'), () =>
      this.diff?.go('previous')
    );
    this.addButton(trans.__('Next change'), () => this.diff?.go('next'));
    this.bar.append(this.remark);
    this.newest = this.addButton(trans.__('Show the newest session'), () =>
      this.showNewest()
    );
    manager.viewChanged.connect(this.refresh, this);
    panel.content.modelContentChanged.connect(this.refresh, this);
    panel.disposed.connect(this.dispose, this);
  }

  /** True for the tab of this target, or of this earlier session of it. */
  isOf(
    panel: NotebookPanel,
    cellId: string,
    past: PastView | null = null
  ): boolean {
    const { compared } = this;
    return (
      compared.panel === panel &&
      compared.cellId === cellId &&
      compared.past?.entry.id === past?.entry.id
    );
  }

  /** Show the target's present session; without a pair, its newest attempt. */
  compare(asked: Partial<SidePair>): void {
    this.isGone = false;
    this.session = this.present;
    this.sides = this.sidesNow();
    this.pair = pairOf(this.sides, asked);
    this.rebuild();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const { manager, panel } = this.compared;
    manager.viewChanged.disconnect(this.refresh, this);
    panel.content?.modelContentChanged.disconnect(this.refresh, this);
    panel.disposed.disconnect(this.dispose, this);
    this.diff?.dispose();
    super.dispose();
  }

  protected override onAfterShow(): void {
    this.refresh();
  }

  protected override onActivateRequest(): void {
    this.left.focus();
  }

  private get present(): SessionState | null {
    const { manager, panel, cellId, past } = this.compared;
    return past
      ? past.session
      : manager.sessionOf({ path: panel.context.path, cellId });
  }

  private sidesNow(): readonly Side[] {
    const { panel, cellId, trans } = this.compared;
    const cell = findCell(panel.content.model, cellId);
    return sidesOf(this.session, cell?.sharedModel.source ?? null, trans);
  }

  /** After any change: what the session and the cell hold now. */
  private refresh(): void {
    if (this.isDisposed || !this.isVisible) {
      return;
    }
    const { present } = this;
    this.isGone = present?.session !== this.session?.session;
    if (!this.isGone) {
      this.session = present;
    }
    const earlier = this.shown();
    this.sides = this.sidesNow();
    this.pair ??= pairOf(this.sides, {});
    const now = this.shown();
    if (!this.diff || !earlier || !now || hasEnded(earlier, now)) {
      this.rebuild();
    } else {
      this.diff.update(now.left.code, now.right.code);
      this.describe();
    }
  }

  /** The two sides; one whose cell was deleted stays as it was seen last. */
  private shown(): { readonly left: Side; readonly right: Side } | null {
    const side = (id: SideId | undefined) =>
      this.sides.find(known => known.id === id) ??
      (this.last && [this.last.left, this.last.right].find(s => s.id === id));
    const left = side(this.pair?.left);
    const right = side(this.pair?.right);
    this.last = left && right ? { left, right } : null;
    return this.last;
  }

  private rebuild(): void {
    this.diff?.dispose();
    this.diff = null;
    const shown = this.shown();
    if (shown) {
      const { left, right } = shown;
      this.diff = new DiffView(
        this.host,
        {
          left: { label: left.label, text: left.code },
          right: { label: right.label, text: right.code },
          mimeType: this.compared.mimeType,
          layout: this.layoutNow
        },
        this.compared.editors
      );
    }
    this.describe();
  }

  /** Title, choices and the line above the editors. */
  private describe(): void {
    const { panel, cellId, past, trans } = this.compared;
    const cells = [...(panel.content.model?.cells ?? [])];
    const label = cellLabel(cells, cellId, trans);
    this.title.label = past
      ? trans.__('Compare %1, %2', label, pastDate(past.entry))
      : trans.__('Compare %1', label);
    this.title.caption = panel.context.path;
    this.node.setAttribute('aria-label', this.title.label);
    this.node.setAttribute('role', 'region');
    fill(this.left, this.sides, this.last?.left);
    fill(this.right, this.sides, this.last?.right);
    const { changes = 0 } = this.diff ?? {};
    const parts = this.diff
      ? changes === 0
        ? trans.__('No difference.')
        : trans._n('%1 change.', '%1 changes.', changes)
      : trans.__('There is only one version, so there is nothing to compare.');
    const remark = this.isGone
      ? `${parts} ${trans.__('These attempts are of an earlier session of %1.', label)}`
      : parts;
    if (this.remark.textContent !== remark) {
      this.remark.textContent = remark;
    }
    this.newest.hidden = !this.isGone || this.present === null;
    this.inline.setAttribute(
      'aria-pressed',
      String(this.layoutNow === 'inline')
    );
  }

  private addSelect(
    side: keyof SidePair,
    text: string,
    label: string
  ): HTMLSelectElement {
    const select = document.createElement('select');
    select.className = 'jp-Refine-compare-select';
    select.setAttribute('aria-label', label);
    select.addEventListener('change', () => {
      const id = select.value === 'cell' ? 'cell' : Number(select.value);
      if (this.pair) {
        this.pair = { ...this.pair, [side]: id };
        this.rebuild();
      }
    });
    const words = document.createElement('span');
    words.textContent = text;
    this.bar.append(words, select);
    return select;
  }

  private addButton(label: string, onClick: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'jp-Refine-button';
    button.textContent = label;
    button.addEventListener('click', onClick);
    this.bar.append(button);
    return button;
  }

  private toggleLayout(): void {
    this.layoutNow = this.layoutNow === 'inline' ? 'side-by-side' : 'inline';
    this.rebuild();
  }

  private showNewest(): void {
    this.compare({});
    this.right.focus();
  }

  private readonly bar = document.createElement('div');
  private readonly remark = document.createElement('div');
  private readonly host = document.createElement('div');
  private readonly left: HTMLSelectElement;
  private readonly right: HTMLSelectElement;
  private readonly inline: HTMLButtonElement;
  private readonly newest: HTMLButtonElement;
  private diff: DiffView | null = null;
  private layoutNow: DiffLayout = 'side-by-side';
  private session: SessionState | null = null;
  /** The target has another session now, or none. */
  private isGone = false;
  private sides: readonly Side[] = [];
  private pair: SidePair | null = null;
  private last: { readonly left: Side; readonly right: Side } | null = null;
}

/** An answer is whole now: what did not change can fold. */
function hasEnded(
  earlier: { readonly left: Side; readonly right: Side },
  now: { readonly left: Side; readonly right: Side }
): boolean {
  return (
    (earlier.left.streaming && !now.left.streaming) ||
    (earlier.right.streaming && !now.right.streaming)
  );
}

/** The options of a select, touched only where they changed: an open list stays open. */
function fill(
  select: HTMLSelectElement,
  sides: readonly Side[],
  chosen: Side | undefined
): void {
  const all =
    chosen && !sides.some(({ id }) => id === chosen.id)
      ? [...sides, chosen]
      : sides;
  const labels = all.map(({ label }) => label).join('\n');
  if (select.dataset.labels !== labels) {
    select.dataset.labels = labels;
    select.replaceChildren(
      ...all.map(({ id, label }) => new Option(label, String(id)))
    );
  }
  select.value = chosen ? String(chosen.id) : '';
  select.disabled = all.length === 0;
}
