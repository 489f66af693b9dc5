/** What a notebook shows of us: an edge on the cell that is worked on, a badge on refined cells, two buttons above an error. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { CodeCell, type Cell, type ICellModel } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { Debouncer } from '@lumino/polling';
import { IRefineManager } from '../../tokens';
import { showsError } from '../errorOutput';
import { CommandIDs, METADATA_KEY, TRANSLATION_DOMAIN } from '../ids';
import { notebookCells } from '../notebookCells';
import type { Badge } from '../runtime/cells/provenanceBadge';

const WORKING_CLASS = 'jp-Refine-mod-working';
const BADGE_CLASS = 'jp-Refine-badge';
const ACTIONS_CLASS = 'jp-Refine-errorActions';

/** Show, change or take away the one badge of a cell. */
export function setBadge(cell: Cell, badge: Badge | null): void {
  const node = cell.node.querySelector(`.${BADGE_CLASS}`);
  if (!badge) {
    node?.remove();
    return;
  }
  const shown = node ?? document.createElement('div');
  place(shown, cell);
  if (
    shown.textContent === badge.text &&
    shown.getAttribute('data-kind') === badge.kind &&
    shown.getAttribute('aria-label') === badge.label
  ) {
    return;
  }
  shown.className = BADGE_CLASS;
  shown.setAttribute('data-kind', badge.kind);
  shown.setAttribute('role', 'img');
  shown.setAttribute('aria-label', badge.label);
  shown.setAttribute('title', badge.label);
  shown.textContent = badge.text;
}

/** On a line of its own below the input: it covers neither code nor scroll bars. */
function place(badge: Element, cell: Cell): void {
  const input = cell.node.querySelector('.jp-Cell-inputWrapper');
  if (input && input.nextElementSibling !== badge) {
    input.after(badge);
  } else if (!badge.parentElement) {
    // A cell that was never scrolled to has no input yet.
    cell.node.appendChild(badge);
    void cell.ready.then(() => {
      if (badge.parentElement === cell.node) {
        place(badge, cell);
      }
    });
  }
}

/** Show the buttons on a cell that shows an error, above its traceback, which may be long; on no other. */
function setErrorActions(
  cell: Cell,
  execute: (command: string, cellId: string) => void,
  trans: TranslationBundle
): void {
  if (!(cell instanceof CodeCell)) {
    return;
  }
  const outputs = cell.node.querySelector(':scope > .jp-Cell-outputWrapper');
  const shown = cell.node.querySelector(`:scope > .${ACTIONS_CLASS}`);
  if (!showsError(cell.model)) {
    shown?.remove();
  } else if (outputs && !shown) {
    const row = document.createElement('div');
    row.className = ACTIONS_CLASS;
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', trans.__('Actions for this error'));
    const add = (command: string, label: string, title: string) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'jp-Refine-button';
      button.textContent = label;
      button.title = title;
      button.addEventListener('click', () => execute(command, cell.model.id));
      row.appendChild(button);
    };
    add(
      CommandIDs.refineError,
      trans.__('Fix error'),
      trans.__('Let the model fix this cell. Each attempt is run.')
    );
    add(
      CommandIDs.explainError,
      trans.__('Explain'),
      trans.__('Explain the error in words. Nothing is run.')
    );
    outputs.before(row);
  }
}

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
      // The thin edge of a cell that is worked on.
      cell.node.classList.toggle(WORKING_CLASS, isWorking);
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
