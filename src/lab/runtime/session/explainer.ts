/** Answers questions of the user and explains errors, in words: nothing is run or written. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';
import type { ExecutionError } from '../../../core/domain/execution';
import { explain, type ShownError } from '../../../core/explain/explain';
import type { RefineRequest } from '../../../core/domain/request';
import { planTarget, type TargetPlan } from '../../../notebook/plan';
import { buildRequest } from '../../../notebook/request';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import { targetAt } from '../../../notebook/structure/targets';
import { revealCell } from '../cells/notebookActions';
import { findCell } from '../cells/notebookEdits';
import {
  isHidden,
  notebookRequest,
  readKernel,
  shownError
} from '../target/notebookRequest';
import type { FollowedTarget } from '../target/targetFollower';
import { capitalized, cellLabel } from '../words';
import type { SessionDriver, SessionParts } from './driver';
import type { NotebookSession } from './session';

/** Longest wait for a kernel that is busy, ms; then the answer is written without its variables. */
const KERNEL_MS = 5000;

/** What an answer is about. */
type Material = {
  readonly request: RefineRequest;
  readonly error?: ShownError | undefined;
};

export class Explainer {
  constructor(
    private readonly ports: SessionParts,
    private readonly driver: SessionDriver
  ) {}

  /** Answer a question about a target, its last session and the error that was explained last. */
  async ask(
    panel: NotebookPanel,
    targetId: string,
    question: string
  ): Promise<void> {
    const { follower, sessions } = this.ports;
    const followed = follower.read(panel, targetId);
    if (!followed) {
      return;
    }
    const plan = planOf(followed, targetId);
    const session = sessions.ofTarget(panel, followed.view.cellId);
    const { error } = session.explanations;
    await this.answer(session, question, async signal => {
      const { request } = session.state ?? {};
      return {
        error,
        request: request
          ? {
              ...request,
              // As it is now: it may hold an attempt, or an edit.
              target: { ...request.target, source: plan.target.source }
            }
          : (await this.read(followed, plan, signal)).request
      };
    });
  }

  /** Explain the error that a cell shows. */
  async explainError(panel: NotebookPanel, cellId: string): Promise<void> {
    const { follower, sessions, trans, notify, show } = this.ports;
    const followed = follower.read(panel, cellId);
    const cell = findCell(panel.content.model, cellId);
    const error = cell && shownError(cell);
    show();
    if (!followed || !error) {
      return;
    }
    const plan = planOf(followed, cellId);
    const label = cellLabel(followed.cells, cellId, trans);
    if (isHidden(followed, plan, cellId, error)) {
      notify(
        trans.__(
          '%1 is held out or uses hidden data. It is not sent to a model.',
          capitalized(label)
        )
      );
      return;
    }
    revealCell(panel, cellId);
    const session = sessions.ofTarget(panel, followed.view.cellId);
    await this.answer(
      session,
      trans.__('Why does %1 raise %2?', label, error.name),
      async signal => {
        const known = await this.read(followed, plan, signal, error);
        session.explanations.error = {
          source: cell.sharedModel.getSource(),
          error: known.error ?? error,
          isTarget: plan.target.cellId === cellId
        };
        return { request: known.request, error: session.explanations.error };
      }
    );
  }

  private async answer(
    session: NotebookSession,
    question: string,
    material: (signal: AbortSignal) => Promise<Material>
  ): Promise<void> {
    const { follower, show } = this.ports;
    const model = await this.driver.model();
    show();
    if (!model || this.driver.isBusy(session.panel)) {
      return;
    }
    const earlier = session.explanations.answered;
    const ended = session.state?.outcome ? session.state : undefined;
    follower.hold(session.panel, session.cellId);
    await session.explain(question, async (signal, onText, onUsage) => {
      const { request, error } = await material(signal);
      signal.throwIfAborted();
      await explain(
        request,
        {
          question,
          earlier,
          ...(ended ? { session: ended } : {}),
          ...(error ? { error } : {})
        },
        onText,
        { model, signal, onCall: onUsage }
      );
    });
  }

  /**
   * The request as a session would send it, and the error with what the kernel
   * knows of it. A kernel that is busy or gone is done without.
   */
  private async read(
    followed: FollowedTarget,
    plan: TargetPlan,
    signal: AbortSignal,
    error?: ExecutionError
  ): Promise<{
    readonly request: RefineRequest;
    readonly error: ExecutionError | undefined;
  }> {
    const { options } = this.ports.settings;
    const { panel, cells, language } = followed;
    const session = UUID.uuid4();
    const kernel = panel.sessionContext.session?.kernel;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(KERNEL_MS)]);
    if (kernel?.status === 'idle') {
      try {
        return await readKernel(
          kernel,
          options,
          this.ports.catalog.policy?.keyVariables,
          limit,
          async executor => {
            const request = await notebookRequest(
              { ...followed, plan },
              options,
              session,
              executor,
              limit
            );
            const known =
              error &&
              (await executor.inspectFailure?.(
                { source: wholeSource(plan.target), name: error.name },
                options.contextValues,
                limit
              ));
            const { line, locals } = known ?? {};
            return {
              request,
              error:
                error && known
                  ? { ...error, candidateLine: line, locals }
                  : error
            };
          }
        );
      } catch (reason) {
        signal.throwIfAborted();
        console.warn('jupyterlab-refine: explains without variables:', reason);
      }
    }
    const request = buildRequest({
      cells,
      plan,
      settings: options,
      variables: [],
      session,
      path: panel.context.path,
      language
    });
    return { request, error };
  }
}

/** That of the target which the cell belongs to; of a cell that cannot be refined its own. */
function planOf(
  { plan, cells, language }: FollowedTarget,
  cellId: string
): TargetPlan {
  const index = cells.findIndex(({ id }) => id === cellId);
  return plan ?? planTarget(cells, targetAt(cells, index), language);
}
