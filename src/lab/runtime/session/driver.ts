/** Starts and continues sessions: with which models, and with what is read from the notebook and the kernel. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { hasSameChecks } from '../../../core/domain/checks/checks';
import type { ILanguageModel } from '../../../core/domain/model';
import type { RepairGoal } from '../../../core/domain/repair';
import type { CheckCell, FollowUp } from '../../../core/domain/request';
import type { SessionState } from '../../../core/events/state';
import type { Part } from '../../../core/part/part';
import { movedPart } from '../../../core/part/place';
import { followUpOf } from '../../../core/prompts/followUp';
import { MOST_ATTEMPTS } from '../../../core/settings';
import { holdsAttempt } from '../../../notebook/provenance';
import {
  fingerprint,
  isEmptyPlan,
  wasRefined,
  type TargetPlan
} from '../../../notebook/plan';
import { requestChecks } from '../../../notebook/request';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import {
  canRestore,
  type DisputeAnswer,
  type NoticeTone,
  type RefineStart
} from '../../../tokens';
import { findCell, setOwnMetadata } from '../cells/notebookEdits';
import type { ModelCatalog } from '../model/modelCatalog';
import type { UserSettings } from '../settings';
import {
  notebookRepair,
  notebookRequest,
  unrunAbove
} from '../target/notebookRequest';
import type { ChosenPart, PlannedTarget } from '../target/plannedTarget';
import type { TargetFollower } from '../target/targetFollower';
import { capitalized, cellLabel } from '../words';
import type { NotebookSessions } from './notebookSessions';
import type { NotebookSession, RunWith, SessionStart } from './session';

/** What the manager shares with those who start sessions. */
export type SessionParts = {
  readonly sessions: NotebookSessions;
  readonly follower: TargetFollower;
  readonly catalog: ModelCatalog;
  readonly settings: UserSettings;
  readonly trans: TranslationBundle;
  /** The settings are there. */
  readonly settled: Promise<void>;
  /** The server's first answer is there, too. */
  readonly ready: Promise<void>;
  /** Show why nothing was started; null: nothing to show. */
  readonly notify: (notice: string | null, tone?: NoticeTone) => void;
  /** Bring the panel to the front: a session starts. */
  readonly show: () => void;
};

export class SessionDriver {
  constructor(private readonly ports: SessionParts) {}

  /** A session of the target. */
  async refine(
    target: PlannedTarget,
    {
      hint,
      frame,
      repair
    }: Pick<RefineStart, 'hint' | 'frame' | 'repair'> = {},
    chosen: ChosenPart | null = null
  ): Promise<void> {
    const { notify, show, trans } = this.ports;
    if (isEmptyPlan(target.plan)) {
      show();
      notify(
        trans.__(
          'Write a prompt for %1 first, or some code or a check in the notebook.',
          target.view.label
        )
      );
      return;
    }
    const model = await this.model();
    const part = this.partNow(chosen, target);
    if (model && part !== null) {
      await this.start(target, 'refine', model, { hint, frame, repair, part });
    }
  }

  /**
   * The session of a `%%refine` cell that was run: after those before it in its
   * notebook and what followed them, against what the notebook holds then.
   */
  async refineInTurn({ panel, plan, view }: PlannedTarget): Promise<void> {
    const { sessions, follower, trans, notify } = this.ports;
    const before = this.lines.get(panel);
    const line = before ?? { isStopped: false, end: Promise.resolve() };
    this.lines.set(panel, line);
    if (before || sessions.running(panel)) {
      const label = capitalized(view.label);
      notify(trans.__('%1 waits for %2.', label, this.workedOn(panel)), 'info');
    }
    const turn = line.end.then(async () => {
      for (let other = sessions.running(panel); other;) {
        await other.over;
        other = sessions.running(panel);
      }
      const now = follower.read(panel, plan.target.cellId);
      if (line.isStopped || !now?.plan) {
        return;
      }
      if (wasRefined(now.cells, now.plan)) {
        const label = capitalized(now.view.label);
        notify(trans.__('%1 is up to date.', label), 'info');
      } else {
        await this.refine({ ...now, plan: now.plan });
      }
    });
    const end = turn.catch(() => undefined);
    line.end = end;
    await turn.finally(() => {
      if (line.end === end && this.lines.get(panel) === line) {
        this.lines.delete(panel);
      }
    });
  }

  /** Stop what runs in a notebook, and start nothing that waits for it. */
  stop(panel: NotebookPanel): void {
    const line = this.lines.get(panel);
    if (line) {
      line.isStopped = true;
      this.lines.delete(panel);
    }
    this.ports.sessions.running(panel)?.stop();
  }

  /** Assertions for a target that nothing checks: drafted, shown, inserted when approved. */
  async draft(target: PlannedTarget): Promise<void> {
    const { sessions, trans, notify, show } = this.ports;
    const { panel, plan, view } = target;
    const model = await this.model();
    show();
    if (!model || this.isBusy(panel)) {
      return;
    }
    if (plan.assertions.length + plan.holdouts.length > 0) {
      notify(
        trans.__(
          '%1 already has checks. Refine drafts assertions only for cells without checks.',
          capitalized(view.label)
        )
      );
      return;
    }
    const { cellId } = plan.target;
    const session =
      sessions.find(panel, cellId) ?? sessions.create(panel, cellId);
    await this.run(session, target, 'draft', model);
  }

  /** Attempt 0 only. */
  async check(target: PlannedTarget): Promise<void> {
    await this.ports.settled;
    await this.start(target, 'check', null);
  }

  /**
   * Further attempts of a session that has ended, or was cut off by a reload,
   * against the notebook as it is now. When the checks are others, what the
   * attempts made before are worth is unknown: a new session starts.
   */
  async goOn(session: NotebookSession, given: RunWith): Promise<void> {
    const { sessions, trans, notify } = this.ports;
    const { panel, state } = session;
    const { evaluators } = state?.request?.options ?? {};
    const needsModel = !given.edited || evaluators?.includes('judge') === true;
    const model = await this.model(needsModel);
    if ((needsModel && !model) || !state?.request || this.isBusy(panel)) {
      return;
    }
    const target = this.targetOf(session);
    if (!target) {
      return;
    }
    const frame = session.pausedFrame;
    const { cells, language } = target;
    const checks = requestChecks(cells, target.plan, language);
    const part = this.partNow(partOf(state), target);
    if (part === null) {
      return;
    }
    if (!hasSameChecks(state.request, checks)) {
      notify(trans.__('The checks were edited, so the session started over.'));
      const { hint, edited, ...rest } = given;
      await this.start(target, 'refine', model, {
        ...rest,
        // Numbers of its attempts say nothing to another session.
        base: undefined,
        frame,
        part,
        ...(edited ? { edited: { ...edited, from: 0 } } : {}),
        ...(hint
          ? { followUp: followUpOf(state, hint, target.plan.target.source) }
          : {})
      });
    } else {
      const plan = planGoingOn(state, target.plan, given.dispute);
      const lines = this.partNow(partOf(state), { ...target, plan });
      sessions.resume(session);
      await this.run(session, { ...target, plan }, 'refine', model, {
        ...given,
        frame,
        goal: state.request.repair,
        part: lines ?? undefined
      });
    }
  }

  /**
   * What the user asks for after a session: the same session goes on with a
   * hint as long as it has no result, else a new one starts from that.
   */
  async followUp(session: NotebookSession, text: string): Promise<void> {
    const { state } = session;
    const target = this.targetOf(session);
    if (!target || !state?.request) {
      return;
    }
    if (state.outcome?.passed || canRestore(session.acceptance.state)) {
      const model = await this.model();
      const part = this.partNow(partOf(state), target);
      if (model && part !== null) {
        await this.start(target, 'refine', model, {
          part,
          followUp: followUpOf(state, text, target.plan.target.source)
        });
      }
    } else {
      await this.goOn(session, { count: 1, hint: text });
    }
  }

  /** The target of a session, as the notebook holds it now; null, with a notice, when it is gone or locked. */
  private targetOf({ panel, cellId }: NotebookSession): PlannedTarget | null {
    const { follower, trans, notify } = this.ports;
    const followed = follower.read(panel, cellId);
    if (followed?.plan) {
      return { ...followed, plan: followed.plan };
    }
    notify(
      followed?.view.refused ??
        trans.__('The cell was deleted, so the session ended.')
    );
    return null;
  }

  /** After a session of a `%%refine` cell's target: running the unchanged cell again does nothing. */
  private rememberRun({ panel, plan }: PlannedTarget): void {
    const { follower, sessions } = this.ports;
    const { cellId } = plan.target;
    const ended = sessions.find(panel, cellId)?.state?.outcome;
    const cell = panel.isDisposed
      ? null
      : findCell(panel.content.model, cellId);
    if (cell && ended && plan.promptOrigin === 'magic') {
      const now = follower.read(panel, cellId)?.plan;
      setOwnMetadata(cell, 'fingerprint', now ? fingerprint(now) : undefined);
    }
  }

  /** The chosen lines as the cell holds them now, none where none were chosen; null, with a notice, when they are gone. */
  private partNow(
    chosen: ChosenPart | null,
    { plan, view }: PlannedTarget
  ): Part | undefined | null {
    const part =
      chosen && movedPart(chosen.part, chosen.source, plan.target.source);
    if (chosen && !part) {
      const { notify, trans } = this.ports;
      notify(
        trans.__(
          'The lines to refine are no longer in %1. Select them again.',
          view.label
        )
      );
      return null;
    }
    return part ?? undefined;
  }

  /** The chosen model; null when there is none: where it is needed, the panel is shown, which says how to set one up. */
  async model(needed = true): Promise<ILanguageModel | null> {
    await this.ports.ready;
    const { model } = this.ports.catalog;
    if (!model && needed) {
      this.ports.show();
    }
    return model;
  }

  /** The cell of the session that runs, or ran last, in words. */
  private workedOn(panel: NotebookPanel): string {
    const { sessions, trans } = this.ports;
    return cellLabel(
      panel.content.model?.cells ?? [],
      sessions.latest(panel)?.cellId ?? '',
      trans
    );
  }

  /** True, with a notice, while a session runs in the notebook. */
  isBusy(panel: NotebookPanel): boolean {
    const { sessions, trans, notify } = this.ports;
    const busy = sessions.running(panel) !== null;
    if (busy) {
      notify(
        trans.__(
          'A session is running for %1. Stop it, or wait until it ends.',
          this.workedOn(panel)
        )
      );
    }
    return busy;
  }

  private async start(
    target: PlannedTarget,
    mode: 'refine' | 'check',
    model: ILanguageModel | null,
    given: StartWith = {}
  ): Promise<void> {
    const { sessions, notify, show } = this.ports;
    const { panel, plan } = target;
    show();
    if (this.isBusy(panel)) {
      return;
    }
    const { warnings } = plan.cellOptions;
    if (warnings.length > 0) {
      // An option is unknown or wrong: nothing starts with another one.
      notify(warnings.join(' '));
      return;
    }
    const session = sessions.create(panel, plan.target.cellId);
    await this.run(session, target, mode, model, given);
  }

  private async run(
    session: NotebookSession,
    target: PlannedTarget,
    mode: SessionStart['mode'],
    model: ILanguageModel | null,
    given: StartWith = {}
  ): Promise<void> {
    const { follower } = this.ports;
    const running = session.run(
      sessionStart(this.ports, target, mode, model, given)
    );
    follower.refresh();
    await running;
    follower.refresh();
    if (mode === 'refine') {
      this.rememberRun(target);
    }
  }

  /** Of a notebook: what its `%%refine` cells wait for. */
  private readonly lines = new WeakMap<
    NotebookPanel,
    { isStopped: boolean; end: Promise<void> }
  >();
}

/** What a start may have beside its target. */
type StartWith = RunWith &
  Pick<RefineStart, 'repair'> & {
    /** The error that a session which continues is to fix. */
    readonly goal?: RepairGoal;
    /** The change that the user asks for after a session. */
    readonly followUp?: FollowUp;
    /** The lines of the target that are refined; none: all. */
    readonly part?: Part;
  };

function sessionStart(
  { catalog, settings }: SessionParts,
  target: PlannedTarget,
  mode: SessionStart['mode'],
  model: ILanguageModel | null,
  { repair, goal, followUp, part, ...given }: StartWith = {}
): SessionStart {
  const { options } = settings;
  const { count } = given;
  return {
    mode,
    model,
    evaluatorModel: catalog.modelFor(options.evaluatorModel),
    options,
    ...given,
    unrunAbove: (executor, signal) => unrunAbove(target, executor, signal),
    request: async (id, executor, signal) => {
      const request = await notebookRequest(
        target,
        options,
        id,
        executor,
        signal,
        given.frame?.names
      );
      const error =
        goal ??
        (repair
          ? await notebookRepair(target, options, executor, signal)
          : null);
      return {
        ...request,
        ...(part ? { part } : {}),
        ...(error ? { repair: error } : {}),
        ...(followUp ? { followUp } : {}),
        options:
          count === undefined
            ? request.options
            : {
                ...request.options,
                maxAttempts: Math.min(
                  count,
                  MOST_ATTEMPTS,
                  catalog.policy?.maxAttempts ?? count
                )
              }
      };
    }
  };
}

/**
 * The plan of a session that continues. An attempt that was written into the cell
 * is no new start: Restore brings back the source from before it, and a prompt
 * in that source still counts.
 *
 * @param answer - what becomes of the check that the last run ended with.
 */
function planGoingOn(
  state: SessionState,
  read: TargetPlan,
  answer?: DisputeAnswer
): TargetPlan {
  const { request, attempts } = state;
  const now = withDisputes(state, read, answer);
  const source = wholeSource(now.target);
  if (
    !request ||
    !attempts.some(({ code }) => holdsAttempt(request, code, source))
  ) {
    return now;
  }
  const { prompt, promptOrigin } = now.prompt ? now : request;
  return {
    ...now,
    prompt,
    promptOrigin,
    target: { ...now.target, source: request.target.source }
  };
}

/** The lines that a session refined, in the source that they are counted in; null where it refined the whole cell. */
function partOf({ request }: SessionState): ChosenPart | null {
  return request?.part
    ? { part: request.part, source: request.target.source }
    : null;
}

/** `cells` without the checks that `before` skips; a cell that was edited has all of its checks again. */
function withSkipped(
  cells: readonly CheckCell[],
  before: readonly CheckCell[]
): readonly CheckCell[] {
  return cells.map(cell => {
    const skipped = before.find(
      other => other.cellId === cell.cellId && other.source === cell.source
    )?.skipped;
    return skipped ? { ...cell, skipped } : cell;
  });
}

/** Skipped and confirmed checks stay so. */
function withDisputes(
  { request, outcome }: SessionState,
  now: TargetPlan,
  answer: DisputeAnswer | undefined
): TargetPlan {
  const disputed = answer && outcome?.dispute?.check;
  const before = request?.rightChecks ?? [];
  const rightChecks =
    disputed && answer === 'right'
      ? [...before, { cellId: disputed.cellId, source: disputed.source }]
      : before;
  return {
    ...now,
    assertions: withSkipped(now.assertions, request?.assertions ?? []).map(
      cell =>
        answer === 'skip' && disputed?.cellId === cell.cellId
          ? { ...cell, skipped: [...(cell.skipped ?? []), disputed.line] }
          : cell
    ),
    ...(rightChecks.length > 0 ? { rightChecks } : {})
  };
}
