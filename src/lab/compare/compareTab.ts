/** The tab that shows two attempts of a session, or an attempt and the cell, against each other. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { pastDate, type HistoryView, type IRefineManager } from '../../tokens';
import { refineIcon } from '../icons';
import { cellLabel } from '../runtime/words';
import { findCell } from '../runtime/cells/notebookEdits';
import { DiffView, type DiffEditors } from './diffView';
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

/** Follows the session of its target; closes with the notebook. */
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
    this.addButton(trans.__('Previous change'), () =>
      this.diff?.go('previous')
    );
    this.addButton(trans.__('Next change'), () => this.diff?.go('next'));
    this.bar.append(this.remark);
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

  /** Show this pair; what is left out is the newest attempt and the one before it. */
  compare(asked: Partial<SidePair>): void {
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

  private sidesNow(): readonly Side[] {
    const { manager, panel, cellId, past, trans } = this.compared;
    const session =
      past?.session ?? manager.sessionOf({ path: panel.context.path, cellId });
    const cell = findCell(panel.content.model, cellId);
    return sidesOf(session, cell?.sharedModel.source ?? null, trans);
  }

  /** After any change: what the session and the cell hold now. */
  private refresh(): void {
    if (this.isDisposed || !this.isVisible) {
      return;
    }
    const before = JSON.stringify(this.sides);
    this.sides = this.sidesNow();
    if (!this.diff || before !== JSON.stringify(this.sides)) {
      this.pair = pairOf(this.sides, this.pair ?? {});
      this.rebuild();
    }
  }

  private rebuild(): void {
    const { panel, cellId, past, mimeType, editors, trans } = this.compared;
    this.diff?.dispose();
    const side = (id?: SideId) => this.sides.find(known => known.id === id);
    const left = side(this.pair?.left);
    const right = side(this.pair?.right);
    this.diff =
      left && right
        ? new DiffView(this.host, left, right, mimeType, editors)
        : null;
    const cells = [...(panel.content.model?.cells ?? [])];
    const label = cellLabel(cells, cellId, trans);
    this.title.label = past
      ? trans.__('Compare %1, %2', label, pastDate(past.entry))
      : trans.__('Compare %1', label);
    this.title.caption = panel.context.path;
    this.node.setAttribute('aria-label', this.title.label);
    this.node.setAttribute('role', 'region');
    fill(this.left, this.sides, left);
    fill(this.right, this.sides, right);
    const { changes = 0 } = this.diff ?? {};
    this.remark.textContent = this.diff
      ? changes === 0
        ? trans.__('No difference.')
        : trans._n('%1 change.', '%1 changes.', changes)
      : trans.__('There is only one version, so there is nothing to compare.');
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

  private addButton(label: string, onClick: () => void): void {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'jp-Refine-button';
    button.textContent = label;
    button.addEventListener('click', onClick);
    this.bar.append(button);
  }

  private readonly bar = document.createElement('div');
  private readonly remark = document.createElement('div');
  private readonly host = document.createElement('div');
  private readonly left: HTMLSelectElement;
  private readonly right: HTMLSelectElement;
  private diff: DiffView | null = null;
  private sides: readonly Side[] = [];
  private pair: SidePair | null = null;
}

/** The options of a select, touched only where they changed: an open list stays open. */
function fill(
  select: HTMLSelectElement,
  sides: readonly Side[],
  chosen: Side | undefined
): void {
  const labels = sides.map(({ label }) => label).join('\n');
  if (select.dataset.labels !== labels) {
    select.dataset.labels = labels;
    select.replaceChildren(
      ...sides.map(({ id, label }) => new Option(label, String(id)))
    );
  }
  select.value = chosen ? String(chosen.id) : '';
  select.disabled = sides.length === 0;
}
