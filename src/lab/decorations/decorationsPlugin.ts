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
  setBadge,
  setErrorActions,
  setWorking,
  type Badge
} from './decorations';
import { IRefineManager } from '../../tokens';
import { METADATA_KEY, TRANSLATION_DOMAIN } from '../ids';
import { notebookCells } from '../notebookCells';

/** Milliseconds of quiet before badges and buttons follow an edit or an output. */
const SETTLE_MS = 200;

/** True when the cell carries the provenance of an accepted attempt. */
function hasResult(model: ICellModel): boolean {
  const own = model.getMetadata(METADATA_KEY) as
    { readonly result?: object } | undefined;
  return typeof own?.result === 'object' && own.result !== null;
}

/** Keeps the marks of one notebook on its cells, whatever is inserted, moved or edited. */
class NotebookMarks {
  constructor(
    private readonly panel: NotebookPanel,
    private readonly execute: (command: string, cellId: string) => void,
    private readonly trans: TranslationBundle
  ) {
    this.update = new Debouncer(() => this.apply(), SETTLE_MS);
    const changed = () => void this.update.invoke();
    panel.content.modelContentChanged.connect(changed);
    void panel.revealed.then(changed);
    panel.disposed.connect(() => this.update.dispose());
  }

  /** With each frame of an answer that streams: the same cell must cost nothing. */
  mark(working: string | null): void {
    if (working !== this.working) {
      this.working = working;
      this.paint();
    }
  }

  /** What the badges need is loaded only for notebooks that have some. */
  private async apply(): Promise<void> {
    const { panel } = this;
    const model = panel.isDisposed ? null : panel.content.model;
    if (!model) {
      return;
    }
    const badges = new Map<string, Badge>();
    const refined = [...model.cells].filter(hasResult);
    if (refined.length > 0) {
      const { provenanceBadge } =
        await import('../runtime/cells/provenanceBadge');
      if (panel.isDisposed) {
        return;
      }
      const cells = notebookCells(model);
      const language = model.defaultKernelLanguage.toLowerCase() || 'python';
      for (const cell of refined) {
        const badge = provenanceBadge(cells, cell.id, language, this.trans);
        if (badge) {
          badges.set(cell.id, badge);
        }
      }
    }
    this.badges = badges;
    this.paint();
  }

  private paint(): void {
    if (this.panel.isDisposed) {
      return;
    }
    for (const cell of this.panel.content.widgets) {
      const { id } = cell.model;
      const isWorking = id === this.working;
      setWorking(cell, isWorking);
      setBadge(cell, isWorking ? null : (this.badges.get(id) ?? null));
      setErrorActions(cell, this.execute, this.trans);
    }
  }

  private readonly update: Debouncer;
  private working: string | null = null;
  private badges: ReadonlyMap<string, Badge> = new Map();
}

/** Marks cells in every notebook: that of the running session, refined ones, and those with an error. */
export const decorationsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:decorations',
  description:
    'Marks refined cells, and adds buttons to the errors that cells show.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const execute = (command: string, cellId: string) =>
      void app.commands.execute(command, { cellId });
    const follow = (panel: NotebookPanel) => {
      const marks = new NotebookMarks(panel, execute, trans);
      const onView = () => {
        // A lazy manager has no session before it is there.
        marks.mark(manager.runningIn(panel.context.path) ?? null);
      };
      manager.viewChanged.connect(onView);
      panel.disposed.connect(() => {
        manager.viewChanged.disconnect(onView);
      });
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, panel) => follow(panel));
  }
};
