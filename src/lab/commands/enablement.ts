/** Which command makes sense now; pure, so that toolbars, menus and tests agree. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { isUsable } from '../../core/events/best';
import { canRestore, type IRefineManager, type RefineView } from '../../tokens';

export type CommandContext = {
  readonly view: RefineView;
  /** Type of the active cell of the active notebook, null without one. */
  readonly activeCell: 'code' | 'markdown' | 'raw' | null;
  readonly activeCellId?: string;
};

/** What the commands act on. */
export type CommandPorts = {
  readonly app: JupyterFrontEnd;
  readonly manager: IRefineManager;
  readonly tracker: INotebookTracker;
  readonly trans: TranslationBundle;
  /** Bring the panel to the front. */
  readonly showPanel: () => void;
  readonly context: () => CommandContext;
};

/** A session that still works; one cut off by a reload does not. */
export function isRunning(view: RefineView): boolean {
  return (
    view.session !== null && view.session.outcome === null && !view.interrupted
  );
}

/** A session without a pass: further attempts may be made. */
function canGoOn({ session }: RefineView): boolean {
  return (
    session !== null &&
    session.request !== null &&
    session.model !== null &&
    session.outcome?.passed !== true
  );
}

export const enabled = {
  /** While a session of another cell runs, a notice says so. */
  refine: ({ view, activeCell, activeCellId }: CommandContext) =>
    (activeCell === 'code' || activeCell === 'markdown') &&
    !(isRunning(view) && view.target?.cellId === activeCellId),
  check: ({ view, activeCell }: CommandContext) =>
    (activeCell === 'code' || activeCell === 'markdown') && !isRunning(view),
  /** Drafts are tried first, which only Python's kernels can do. */
  generateAssertions: ({ view, activeCell }: CommandContext) =>
    (activeCell === 'code' || activeCell === 'markdown') &&
    !isRunning(view) &&
    (view.target?.language ?? 'python') === 'python',
  /** Whether a cell failed is seen when a menu opens: outputs change without a word to us. */
  refineError: ({ view, activeCell }: CommandContext) =>
    activeCell !== null && !isRunning(view),
  stop: ({ view }: CommandContext) =>
    isRunning(view) ||
    (view.explanations ?? []).some(({ status }) => status === 'writing'),
  pause: ({ view }: CommandContext) => isRunning(view) && !view.session!.paused,
  continue: ({ view }: CommandContext) =>
    isRunning(view) ? view.session!.paused : canGoOn(view),
  hint: ({ view }: CommandContext) =>
    view.session !== null && view.session.request !== null,
  accept: ({ view }: CommandContext) =>
    view.session?.attempts.some(isUsable) ?? false,
  restore: ({ view }: CommandContext) => canRestore(view.accepted)
} as const;

/** Changes exactly when some command above may have become enabled or disabled. */
export function enablementKey(context: CommandContext): string {
  return Object.values(enabled)
    .map(is => (is(context) ? '1' : '0'))
    .join('');
}
