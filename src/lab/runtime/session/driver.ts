/** Starts and continues sessions. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILanguageModel } from '../../../core/domain/model';
import { hasSameChecks } from '../../../core/domain/checks';
import type { RepairGoal } from '../../../core/domain/repair';
import type { RequestChecks } from '../../../core/domain/request';
import type { RefineOptions } from '../../../core/options';
import { isEmptyPlan } from '../../../notebook/plan';
import { wasRefined } from '../../../notebook/fingerprint';
import { requestChecks } from '../../../notebook/request';
import type { TargetPlan } from '../../../notebook/plan';
import type { NoticeTone, RefineStart } from '../../../tokens';
import { planGoingOn, withSkipped } from './goingOn';
import { rememberRun } from './magicRun';
import type { ModelCatalog } from '../model/modelCatalog';
import { notebookRepair } from '../target/notebookRepair';
import { notebookRequest } from '../target/notebookRequest';
import type { NotebookSessions } from './notebookSessions';
import type { PlannedTarget } from '../target/plannedTarget';
import type { NotebookSession } from './session';
import type { RunWith, SessionStart } from './ports';
import type { UserSettings } from '../settings';
import type { TargetFollower } from '../target/targetFollower';
import { unrunAbove } from '../target/unrunAbove';
import { Turns } from '../turns';
import { capitalized, cellLabel, modelNotice } from '../words';

export type DriverPorts = {
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

/** The error that a run is to fix: what the target shows, or that of a session which continues. */
type ToRepair = Pick<RefineStart, 'repair'> & { readonly goal?: RepairGoal };

export class SessionDriver {
  constructor(private readonly ports: DriverPorts) {}

  async refine(
    target: PlannedTarget,
    given: Pick<RefineStart, 'hint' | 'stepwise' | 'frame' | 'repair'> = {}
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
    if (model) {
      await this.start(target, 'refine', model, {
        hint: given.hint,
        stepwise: given.stepwise,
        frame: given.frame,
        repair: given.repair
      });
      rememberRun(target, this.ports.follower, this.ports.sessions);
    }
  }

  /**
   * The session of a `%%refine` cell that was run: after those before it in its
   * notebook, against what the notebook holds then. Resolves when it is over;
   * a stop takes those that wait away.
   */
  refineInTurn(target: PlannedTarget): Promise<void> {
    const { sessions, follower, trans, notify } = this.ports;
    const { panel, plan, view } = target;
    const onWait = (before: string) =>
      notify(
        trans.__(
          '%1 starts when the session of %2 ends.',
          capitalized(view.label),
          before
        ),
        'info'
      );
    return this.turns.add(panel, view.label, onWait, async mayStart => {
      let before = sessions.running(panel);
      if (before) {
        onWait(this.workedOn(panel));
      }
      while (before) {
        await before.over;
        before = sessions.running(panel);
      }
      const now = follower.read(panel, plan.target.cellId);
      if (!mayStart() || !now?.plan) {
        return;
      }
      notify(null);
      if (wasRefined(now.cells, now.plan)) {
        notify(
          trans.__('%1 is up to date.', capitalized(now.view.label)),
          'info'
        );
      } else {
        await this.refine({ ...now, plan: now.plan });
      }
    });
  }

  /** Stop what runs in a notebook, and start nothing that waits for it. */
  stop(panel: NotebookPanel): void {
    this.turns.empty(panel);
    this.ports.sessions.running(panel)?.stop();
  }

  /** Assertions for a target that nothing checks: drafted, shown, inserted when approved. */
  async draft(target: PlannedTarget): Promise<void> {
    const { sessions, trans, notify, show, follower } = this.ports;
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
    const running = session.run(this.startOf(target, 'draft', model));
    follower.refresh();
    await running;
    follower.refresh();
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
    const { sessions, follower, trans, notify } = this.ports;
    const model = await this.model();
    const { panel, state } = session;
    if (!model || !state?.request || this.isBusy(panel)) {
      return;
    }
    const followed = follower.read(panel, session.cellId);
    if (!followed?.plan) {
      notify(
        followed?.view.refused ??
          trans.__('The cell was deleted, so the session ended.')
      );
      return;
    }
    const target = { ...followed, plan: followed.plan };
    const frame = session.pausedFrame;
    const { cells, language } = target;
    const checks = requestChecks(cells, target.plan, language);
    if (!hasSameChecks(state.request, checks)) {
      notify(trans.__('The checks were edited, so the session started over.'));
      await this.start(target, 'refine', model, { ...given, frame });
    } else {
      const plan = planGoingOn(state, target.plan, given.dispute);
      sessions.resume(session);
      const running = session.run(
        this.startOf({ ...target, plan }, 'refine', model, {
          ...given,
          frame,
          goal: state.request.repair
        })
      );
      follower.refresh();
      await running;
    }
    rememberRun(target, follower, sessions);
  }

  /** The chosen model; null, with a notice, when there is none. */
  private async model(): Promise<ILanguageModel | null> {
    const { ready, catalog, notify, trans } = this.ports;
    await ready;
    const { model } = catalog;
    if (!model) {
      notify(modelNotice(catalog.setup, trans));
    }
    return model;
  }

  /** The one that writes, and those that the settings name beside it. */
  private models(model: ILanguageModel | null, options: RefineOptions) {
    const { catalog } = this.ports;
    return {
      model,
      evaluatorModel: catalog.modelFor(options.evaluatorModel),
      strongerModel: catalog.modelFor(options.strongerModel)
    };
  }

  /** The cell of the session that runs, or ran last, in words. */
  private workedOn(panel: NotebookPanel): string {
    const { sessions, trans } = this.ports;
    return cellLabel(
      [...(panel.content.model?.cells ?? [])],
      sessions.latest(panel)?.cellId ?? '',
      trans
    );
  }

  /** True, with a notice, while a session runs in the notebook. */
  private isBusy(panel: NotebookPanel): boolean {
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

  /** True, with a notice, when the cell sets an option that is unknown or wrong: nothing starts with another one. */
  private refusesOptions({ cellOptions }: TargetPlan): boolean {
    const { warnings } = cellOptions;
    if (warnings.length > 0) {
      this.ports.notify(warnings.join(' '));
    }
    return warnings.length > 0;
  }

  private async start(
    target: PlannedTarget,
    mode: 'refine' | 'check',
    model: ILanguageModel | null,
    given: RunWith & ToRepair = {}
  ): Promise<void> {
    const { sessions, follower, show } = this.ports;
    const { panel, plan } = target;
    show();
    if (this.isBusy(panel) || this.refusesOptions(plan)) {
      return;
    }
    const session = sessions.create(panel, plan.target.cellId);
    const running = session.run(this.startOf(target, mode, model, given));
    follower.refresh();
    await running;
  }

  private startOf(
    target: PlannedTarget,
    mode: SessionStart['mode'],
    model: ILanguageModel | null,
    { repair, goal, ...given }: RunWith & ToRepair = {}
  ): SessionStart {
    const { options } = this.ports.settings;
    const { count } = given;
    return {
      mode,
      ...this.models(model, options),
      options,
      ...given,
      checks: () => this.checksOf(target),
      unrunAbove: (executor, signal) =>
        unrunAbove(target, target.plan, executor, signal),
      request: async (id, executor, signal) => {
        const request = await notebookRequest(
          target,
          target.plan,
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
          ...(error ? { repair: error } : {}),
          options:
            count === undefined
              ? request.options
              : { ...request.options, maxAttempts: this.allowed(count) }
        };
      }
    };
  }

  /** The checks that the notebook holds now; null when the target is gone or cannot be refined any more. */
  private checksOf({ panel, plan }: PlannedTarget): RequestChecks | null {
    const now = this.ports.follower.read(panel, plan.target.cellId);
    return now?.plan
      ? requestChecks(
          now.cells,
          {
            ...now.plan,
            assertions: withSkipped(now.plan.assertions, plan.assertions)
          },
          now.language
        )
      : null;
  }

  private allowed(count: number): number {
    return Math.min(count, this.ports.catalog.policy?.maxAttempts ?? count);
  }

  private readonly turns = new Turns<NotebookPanel>();
}
