import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import {
  ICompletionProviderManager,
  type ICompletionContext,
  type CompletionHandler,
  type ICompletionProvider
} from '@jupyterlab/completer';
import { INotebookTracker } from '@jupyterlab/notebook';

/** Above the kernel, which knows nothing of these lines. */
const RANK = 1000;

const MARK = '%refine';

/** With zod: loaded once such a line is there, since a completer waits for a second only. */
const load = () => import('../../notebook/options/completeLine');

/** Options of a `%%refine` line, their values, and what `%refine` takes. */
class RefineLineCompletions implements ICompletionProvider {
  readonly identifier = 'jupyterlab-refine:line';
  readonly rank = RANK;

  async isApplicable({ editor }: ICompletionContext): Promise<boolean> {
    return editor?.model.sharedModel.getSource().includes(MARK) === true;
  }

  async fetch({
    text,
    offset
  }: CompletionHandler.IRequest): Promise<CompletionHandler.ICompletionItemsReply> {
    const { completeLine } = await load();
    const { start, end, items } = completeLine(text, offset) ?? {
      start: offset,
      end: offset,
      items: []
    };
    return {
      start,
      end,
      items: items.map(({ label, kind, documentation }) => ({
        label,
        type: kind,
        ...(documentation ? { documentation } : {})
      }))
    };
  }
}

/** Load what completes as soon as the active cell holds such a line. */
function loadInTime(tracker: INotebookTracker): void {
  let watched: Cell | null = null;
  const look = () => {
    if (watched?.model.sharedModel.getSource().includes(MARK)) {
      void load();
      watched.model.contentChanged.disconnect(look);
      tracker.activeCellChanged.disconnect(follow);
    }
  };
  const follow = () => {
    if (watched && !watched.isDisposed) {
      watched.model.contentChanged.disconnect(look);
    }
    watched = tracker.activeCell;
    watched?.model.contentChanged.connect(look);
    look();
  };
  tracker.activeCellChanged.connect(follow);
}

export const completionPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:completion',
  description: 'Completes the options of %%refine.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICompletionProviderManager],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    completions: ICompletionProviderManager | null
  ) => {
    if (completions) {
      completions.registerProvider(new RefineLineCompletions());
      loadInTime(tracker);
    }
  }
};
