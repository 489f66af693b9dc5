import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { ICellModel } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Debouncer } from '@lumino/polling';
import {
  areEqualMarks,
  ICellDecorations,
  setBadge,
  setWorking,
  type Badge,
  type CellMarks
} from './decorations';
import { METADATA_KEY, TRANSLATION_DOMAIN } from '../ids';
import { notebookCells } from '../notebookCells';
import { roleOf } from '../tags';

/** Milliseconds of quiet before badges follow an edit. */
const SETTLE_MS = 300;

const NO_MARKS: CellMarks = { working: null, badges: new Map() };

/** True when the cell carries the provenance of an accepted attempt. */
function hasResult(model: ICellModel): boolean {
  const own = model.getMetadata(METADATA_KEY) as
    { readonly result?: object } | undefined;
  return typeof own?.result === 'object' && own.result !== null;
}

/** True when a tag says that the cell checks another one. */
function hasRole(model: ICellModel): boolean {
  return roleOf(model.getMetadata('tags')) !== null;
}

/** Keeps the marks of one notebook on its cells, whatever is inserted, moved or edited. */
class NotebookMarks {
  constructor(
    private readonly panel: NotebookPanel,
    private readonly trans: TranslationBundle
  ) {
    this.update = new Debouncer(() => this.apply(), SETTLE_MS);
    const changed = () => void this.update.invoke();
    panel.content.modelContentChanged.connect(changed);
    void panel.revealed.then(changed);
    panel.disposed.connect(() => this.update.dispose());
  }

  /** With each frame of an answer that streams: equal marks must cost nothing. */
  mark(marks: CellMarks): void {
    if (areEqualMarks(marks, this.marks)) {
      return;
    }
    this.marks = marks;
    this.paint();
  }

  /** What these badges need is loaded only for notebooks that have some. */
  private async apply(): Promise<void> {
    const { panel } = this;
    const model = panel.isDisposed ? null : panel.content.model;
    if (!model) {
      return;
    }
    const all = [...model.cells];
    const badges = new Map<string, Badge>();
    if (all.some(cell => hasResult(cell) || hasRole(cell))) {
      const [{ provenanceBadge }, { tagBadges }] = await Promise.all([
        import('../runtime/cells/provenanceBadge'),
        import('../runtime/cells/tagBadges')
      ]);
      if (panel.isDisposed) {
        return;
      }
      const cells = notebookCells(model);
      const language = model.defaultKernelLanguage.toLowerCase() || 'python';
      for (const [id, badge] of tagBadges(cells, language, this.trans)) {
        badges.set(id, badge);
      }
      for (const cell of all.filter(hasResult)) {
        const badge = provenanceBadge(cells, cell.id, language, this.trans);
        if (badge) {
          badges.set(cell.id, badge);
        }
      }
    }
    this.own = badges;
    this.paint();
  }

  private paint(): void {
    if (this.panel.isDisposed) {
      return;
    }
    for (const cell of this.panel.content.widgets) {
      const id = cell.model.id;
      setWorking(cell, id === this.marks.working);
      setBadge(
        cell,
        id === this.marks.working
          ? null
          : (this.marks.badges.get(id) ?? this.own.get(id) ?? null)
      );
    }
  }

  private readonly update: Debouncer;
  private marks = NO_MARKS;
  private own: ReadonlyMap<string, Badge> = new Map();
}

/** Marks cells in every notebook; the sessions say which. */
export const decorationsPlugin: JupyterFrontEndPlugin<ICellDecorations> = {
  id: 'jupyterlab-refine:decorations',
  description: 'Marks refined cells and check cells.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  provides: ICellDecorations,
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    translator: ITranslator | null
  ): ICellDecorations => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const notebooks = new WeakMap<NotebookPanel, NotebookMarks>();
    const marksOf = (panel: NotebookPanel) => {
      const marks = notebooks.get(panel) ?? new NotebookMarks(panel, trans);
      notebooks.set(panel, marks);
      return marks;
    };
    tracker.forEach(marksOf);
    tracker.widgetAdded.connect((_, panel) => {
      marksOf(panel);
    });
    return {
      mark: (panel, marks) => {
        if (!panel.isDisposed) {
          marksOf(panel).mark(marks);
        }
      }
    };
  }
};
