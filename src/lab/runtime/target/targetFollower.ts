/** Follows the active notebook and cell, and reads what a refinement of it would be. */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import { Debouncer } from '@lumino/polling';
import { Signal, type ISignal } from '@lumino/signaling';
import type { Target } from '../../../core/domain/request';
import {
  cellAt,
  notebookLanguage,
  type NotebookCell
} from '../../../notebook/structure/cells';
import { linkedTarget } from '../../../notebook/edits';
import {
  planTarget,
  plannedChecks,
  type PlannedCheck,
  type TargetPlan
} from '../../../notebook/plan';
import { readResult, sourceHash } from '../../../notebook/provenance';
import { wantsOnlyTagged } from '../../../notebook/structure/roles';
import { editRefusal, findTarget } from '../../../notebook/structure/targets';
import type { CheckView, TargetView } from '../../../tokens';
import { notebookCells } from '../../notebookCells';
import type { TabStore } from '../tabStore';
import { cellLabel } from '../words';

/** Milliseconds of quiet before the plan follows typing. */
const SETTLE_MS = 250;

/** What the notebook says about one of its cells. */
export type FollowedTarget = {
  readonly panel: NotebookPanel;
  readonly cells: readonly NotebookCell[];
  readonly language: string;
  readonly view: TargetView;
  /** Null when the cell cannot be refined, see `view.refused`. */
  readonly plan: TargetPlan | null;
  /** For a check, which changes nothing: a locked cell has it too. */
  readonly checkPlan: TargetPlan | null;
  /** Id of a `%%refine` cell whose target, here among the cells, is still to be created. */
  readonly promptCell: string | null;
};

export class TargetFollower implements IDisposable {
  /**
   * @param pinned id of the cell that a notebook's session works on, whatever cell is active.
   * @param interrupted id of the cell whose session a reload cut off: shown first.
   */
  constructor(
    private readonly tracker: INotebookTracker,
    private readonly trans: TranslationBundle,
    private readonly tab: TabStore,
    private readonly pinned: (panel: NotebookPanel) => string | null,
    /** Whether the server's policy lets nbgrader's solution cells be refined. */
    private readonly allowSolutionCells: () => boolean = () => false,
    private readonly interrupted: (
      panel: NotebookPanel
    ) => string | null = () => null
  ) {
    this.settle = new Debouncer(() => this.refresh(), SETTLE_MS);
    tracker.currentChanged.connect(this.onCurrent, this);
    tracker.activeCellChanged.connect(this.onActiveCell, this);
    this.onCurrent();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get current(): FollowedTarget | null {
    return this._current;
  }

  get isDisposed(): boolean {
    return this.settle.isDisposed;
  }

  /** Read the notebook again now. */
  refresh(): void {
    const panel = this.tracker.currentWidget;
    this._current = panel ? this.shown(panel) : null;
    this._changed.emit();
  }

  /**
   * The target of a session, as long as it runs and after its end until the
   * user makes another target active; else that of the active cell.
   */
  private shown(panel: NotebookPanel): FollowedTarget | null {
    const running = this.pinned(panel);
    const shown =
      running ?? (this.seen.has(panel) ? null : this.interrupted(panel));
    if (!this.seen.has(panel)) {
      this.seen.add(panel);
      this.keepPrompts(panel, panel.context.path);
    }
    if (shown) {
      this.held.set(panel, shown);
    }
    const held = this.held.get(panel);
    const active = panel.content.activeCell?.model.id;
    return (
      (held ? this.readHeld(panel, held, running === held) : null) ??
      (active ? this.read(panel, active) : null)
    );
  }

  /** The held target; as it was before it was deleted while its session ran. */
  private readHeld(
    panel: NotebookPanel,
    held: string,
    running: boolean
  ): FollowedTarget | null {
    const found = this.read(panel, held);
    if (found && running) {
      this.lastHeld.set(panel, found);
    } else if (found) {
      this.lastHeld.delete(panel);
    }
    const last = found ? null : this.lastHeld.get(panel);
    return last?.view.cellId === held
      ? {
          ...last,
          plan: null,
          checkPlan: null,
          view: {
            ...last.view,
            deleted: true,
            refused: this.trans.__('The cell was deleted.')
          }
        }
      : found;
  }

  private onActiveCell(): void {
    const panel = this.tracker.currentWidget;
    const active = panel?.content.activeCell?.model.id;
    // Also emitted when the notebook itself comes to the front, which selects nothing.
    if (panel && active && this.lastActive.get(panel) !== active) {
      const selected = panel.context.isReady && this.lastActive.has(panel);
      this.lastActive.set(panel, active);
      if (!selected) {
        // The notebook makes its first cell active, and an empty one before it is loaded.
        this.refresh();
        return;
      }
      const target = this.pinned(panel) ? null : this.read(panel, active);
      if (target && !target.view.refused) {
        this.letGo(panel, target.view.cellId);
      }
    }
    this.refresh();
  }

  /** Show a target until the user makes another one active. */
  hold(panel: NotebookPanel, cellId: string): void {
    this.held.set(panel, cellId);
    this.refresh();
  }

  /** Another target is active: what is held of the notebook need not stay. */
  private letGo(panel: NotebookPanel, target: string): void {
    if (this.held.get(panel) !== target) {
      this.held.delete(panel);
    }
  }

  /** The target that a cell of a notebook belongs to; null when the cell is gone. */
  read(panel: NotebookPanel, cellId: string): FollowedTarget | null {
    const model = panel.isDisposed ? null : panel.content.model;
    let cells: readonly NotebookCell[] = model ? notebookCells(model) : [];
    const active = cells.findIndex(cell => cell.id === cellId);
    if (!model || active < 0) {
      return null;
    }
    const cell = cellAt(cells, active);
    const language = notebookLanguage({
      nbformat: model.nbformat,
      nbformat_minor: model.nbformatMinor,
      metadata: model.metadata,
      cells: []
    });
    let search = findTarget(cells, active, language);
    const promptCell = search.lacksTarget ? cell.id : null;
    if (promptCell !== null) {
      const ids = new Set(cells.map(({ id }) => id));
      const target = linkedTarget(promptCell, ids);
      cells = cells.flatMap(other => (other === cell ? [cell, target] : other));
      search = findTarget(cells, active, language);
    }
    if (search.target) {
      const { target } = search;
      const checkPlan = this.planOf(panel, cells, target, language);
      const view = this.viewOf(panel, cells, checkPlan, language);
      const policy = { allowSolutionCells: this.allowSolutionCells() };
      const refused = editRefusal(cells, target.index, policy);
      return {
        panel,
        cells,
        language,
        view: { ...view, refused },
        plan: refused === null ? checkPlan : null,
        checkPlan,
        promptCell
      };
    }
    return {
      panel,
      cells,
      language,
      plan: null,
      checkPlan: null,
      promptCell,
      view: {
        ...this.emptyView(panel, cells, cell.id),
        kind: cell.type === 'markdown' ? 'markdown' : 'code',
        refused: search.refused
      }
    };
  }

  /** Prompts that were typed go along when their notebook is renamed. */
  private keepPrompts(panel: NotebookPanel, path: string): void {
    panel.context.pathChanged.connect((_, renamed) => {
      const { model } = panel.content;
      for (const { id } of model ? notebookCells(model) : []) {
        const typed = this.tab.get(promptKey(path, id));
        this.tab.set(promptKey(path, id), '');
        this.tab.set(promptKey(renamed, id), typed);
      }
      path = renamed;
    }, this);
  }

  /** Set the panel's prompt of a target; an empty one lets the notebook's own show again. */
  setPrompt(panel: NotebookPanel, cellId: string, text: string): void {
    this.tab.set(promptKey(panel.context.path, cellId), text);
    this.refresh();
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.settle.dispose();
    this.watched?.content.modelContentChanged.disconnect(this.onEdit, this);
    Signal.disconnectReceiver(this);
    Signal.clearData(this);
  }

  private onCurrent(): void {
    const panel = this.tracker.currentWidget;
    if (this.watched && !this.watched.isDisposed) {
      this.watched.content.modelContentChanged.disconnect(this.onEdit, this);
    }
    this.watched = panel;
    panel?.content.modelContentChanged.connect(this.onEdit, this);
    const active = panel?.content.activeCell?.model.id;
    if (panel && active && !this.lastActive.has(panel)) {
      this.lastActive.set(panel, active);
    }
    this.refresh();
    void panel?.revealed.then(() => this.onEdit());
  }

  private onEdit(): void {
    if (!this.isDisposed) {
      void this.settle.invoke();
    }
  }

  /**
   * A prompt that was a comment is gone once an attempt took its place, and the
   * attempt's own docstring is none: as long as the cell is what was accepted,
   * provenance has its prompt.
   */
  private planOf(
    panel: NotebookPanel,
    cells: readonly NotebookCell[],
    target: Target,
    language: string
  ): TargetPlan {
    const result = readResult(cellAt(cells, target.index));
    const accepted =
      result && result.sourceHash === sourceHash(target.source)
        ? result.prompt
        : '';
    const panelPrompt =
      this.tab.get(promptKey(panel.context.path, target.cellId)) || accepted;
    return planTarget(cells, target, language, { panelPrompt });
  }

  private viewOf(
    panel: NotebookPanel,
    cells: readonly NotebookCell[],
    plan: TargetPlan,
    language: string
  ): TargetView {
    return {
      ...this.emptyView(panel, cells, plan.target.cellId),
      kind: plan.target.kind,
      language,
      prompt: plan.prompt,
      promptOrigin: plan.promptOrigin,
      assertions: plan.assertions.reduce((n, c) => n + c.statements, 0),
      holdouts: plan.holdouts.reduce((n, c) => n + c.statements, 0),
      checks: plannedChecks(cells, plan, language).map(check =>
        checkView(check, cells, this.trans)
      ),
      onlyTagged: wantsOnlyTagged(cellAt(cells, plan.target.index))
    };
  }

  private emptyView(
    panel: NotebookPanel,
    cells: readonly NotebookCell[],
    cellId: string
  ): TargetView {
    return {
      cellId,
      path: panel.context.path,
      label: cellLabel(cells, cellId, this.trans),
      kind: 'code',
      prompt: '',
      promptOrigin: 'none',
      assertions: 0,
      holdouts: 0,
      refused: null
    };
  }

  private readonly settle: Debouncer;
  /** The target that a notebook's session works on, or worked on last. */
  private readonly held = new WeakMap<NotebookPanel, string>();
  /** The held target of a notebook as it was read last while its session ran. */
  private readonly lastHeld = new WeakMap<NotebookPanel, FollowedTarget>();
  private readonly seen = new WeakSet<NotebookPanel>();
  private readonly lastActive = new WeakMap<NotebookPanel, string>();
  private watched: NotebookPanel | null = null;
  private _current: FollowedTarget | null = null;
  private readonly _changed = new Signal<this, void>(this);
}

/** A copy of a notebook has the same cell ids. */
function promptKey(path: string, cellId: string): string {
  return `prompt:${path}:${cellId}`;
}

/** A check of a target as the panel lists it. */
function checkView(
  { cellId, role, statements, names, tagged, checksNothing }: PlannedCheck,
  cells: readonly NotebookCell[],
  trans: TranslationBundle
): CheckView {
  return {
    cellId,
    label: cellLabel(cells, cellId, trans),
    role,
    statements,
    names,
    tagged,
    problem: checksNothing
      ? trans.__(
          'Tagged, but it checks nothing. Add an assert statement (of a scorer, define score(ns): a cell has one), or remove the tag.'
        )
      : null
  };
}
