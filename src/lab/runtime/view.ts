import type { Isolation } from '../../core/domain/execution';
import type {
  HistoryView,
  ModelSetup,
  NoticeTone,
  RefineView,
  RunningSession,
  TargetView
} from '../../tokens';
import type { NotebookSession } from './session/session';

/** What is shown of the current target and its session. */
export function assembleView(parts: {
  readonly target: TargetView | null;
  readonly models: ModelSetup;
  /** Of the kernel, as probed; a session has its own. */
  readonly isolation: Isolation | null;
  readonly session: NotebookSession | null;
  readonly waiting: readonly RunningSession[];
  readonly history: HistoryView | null;
  readonly notice: string | null;
  readonly noticeTone: NoticeTone;
}): RefineView {
  const { target, models, isolation, session, notice, noticeTone, waiting } =
    parts;
  const { history } = parts;
  return {
    target,
    models,
    isolation: session?.state?.isolation ?? isolation,
    waiting,
    history,
    session: session?.state ?? null,
    question: session?.questions.current ?? null,
    accepted: session?.acceptance.state ?? null,
    standing: session?.standing.view ?? null,
    cleanCheck: session?.clean.state ?? null,
    explanations: session?.explanations.list ?? [],
    interrupted: session?.interrupted ?? false,
    // The target shows a refusal already.
    notice: session?.failure ?? (notice === target?.refused ? null : notice),
    noticeTone: session?.failure ? 'problem' : noticeTone
  };
}
