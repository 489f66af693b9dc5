/** What the loop receives for a run in a notebook: models, the kernel, and the panel's questions. */
import { systemClock } from '../../../../core/clock';
import type { Denial, RefineDeps, Review } from '../../../../core/deps';
import type { IExecutor } from '../../../../core/domain/executor';
import type {
  RefineRequest,
  RequestChecks
} from '../../../../core/domain/request';
import type { SessionState } from '../../../../core/events/state';
import type { Steering } from '../../../../core/session/steering';
import type { Questions } from '../../questions';
import type { SessionPorts, SessionStart } from '../ports';
import { askPermit, askReview, askSession } from './questions';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { hasSameChecks } from '../../../../core/domain/checks/checks';
import { syntaxErrorAt } from '../../../../core/python/syntax';

/** The session of the run. */
export type RunSession = {
  readonly ports: SessionPorts;
  readonly questions: Questions;
  readonly steering: Steering;
  /** As it is now. */
  readonly state: () => SessionState;
};

export function runDeps(
  start: SessionStart,
  request: RefineRequest,
  { ports, questions, steering, state }: RunSession,
  executor: IExecutor,
  signal: AbortSignal
): RefineDeps {
  const { panel, trans } = ports;
  return {
    generator: start.model,
    evaluatorModel: start.evaluatorModel,
    extensions: ports.extensions,
    executor,
    clock: systemClock,
    checksNow: (asked: AbortSignal) =>
      checksNow(panel, start.checks, state().request ?? request, asked),
    steering,
    ask: askSession(questions, trans),
    permit: (denial: Denial, asked: AbortSignal) =>
      askPermit(questions, denial, asked, trans),
    review: (review: Review, asked: AbortSignal) =>
      askReview(
        questions,
        review,
        state().attempts.find(a => a.attempt === review.attempt) ?? null,
        asked,
        trans
      ),
    signal
  };
}

/** What the user gave this run, before its first attempt. */
export function steer(steering: Steering, start: SessionStart): void {
  if (start.hint) {
    steering.hint(start.hint);
  }
  if (start.base !== undefined) {
    steering.base(start.base);
  }
  if (start.edited) {
    steering.edit(start.edited);
  }
  if (start.stepwise) {
    steering.step();
  }
}

/** Milliseconds without a change after which an edit is over. */
const QUIET_MS = 1500;
const POLL_MS = 250;

/**
 * The checks now. They come at once while they are `known`; after an edit, when
 * nothing has changed for a moment and no statement is half written.
 *
 * @param read the checks as they stand in the notebook; null: the target is gone.
 */
function checksNow(
  panel: NotebookPanel,
  read: () => RequestChecks | null,
  known: RequestChecks,
  signal: AbortSignal
): RequestChecks | Promise<RequestChecks> {
  const now = read();
  return now === null || hasSameChecks(now, known)
    ? known
    : settled(panel, read, now, signal);
}

async function settled(
  panel: NotebookPanel,
  read: () => RequestChecks | null,
  first: RequestChecks,
  signal: AbortSignal
): Promise<RequestChecks> {
  let last = first;
  for (let quiet = 0; quiet < QUIET_MS; quiet += POLL_MS) {
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
    const now = read() ?? last;
    if (isTypingPython(panel) || !hasSameChecks(now, last)) {
      quiet = 0;
    }
    last = now;
  }
  return last;
}

/** True while the user types Python in a cell that cannot run as it stands. */
function isTypingPython(panel: NotebookPanel): boolean {
  const { content } = panel;
  const cell = panel.isDisposed ? null : content.activeCell?.model;
  return (
    cell?.type === 'code' &&
    content.mode === 'edit' &&
    /^i?python/.test(content.codeMimetype.replace(/^text\/x-/, '')) &&
    syntaxErrorAt(cell.sharedModel.getSource()) !== null
  );
}
