/** Starts sessions and lets them go on. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILanguageModel } from '../../core/model';
import type { RefineOptions } from '../../core/options';
import { wasRefined } from '../../notebook/magicCell';
import type { RefineStart } from '../../tokens';
import { rememberRun } from './magicRun';
import type { ModelCatalog } from './modelCatalog';
import { notebookRequest } from './notebookRequest';
import type { NotebookSessions } from './notebookSessions';
import type { PlannedTarget } from './plannedTarget';
import type { NotebookSession } from './session';
import type { UserSettings } from './settings';
import type { TargetFollower } from './targetFollower';
import { modelNotice } from './words';

export type DriverPorts = {
  readonly sessions: NotebookSessions;
  readonly follower: TargetFollower;
  readonly catalog: ModelCatalog;
  readonly settings: UserSettings;
  readonly trans: TranslationBundle;
  /** Settings and the server's first answer are there. */
  readonly ready: Promise<void>;
  /** Tell the user why nothing was started. */
  readonly tell: (notice: string) => void;
  /** Bring the panel to the front: a session starts. */
  readonly show: () => void;
};

export class SessionDriver {
  constructor(private readonly ports: DriverPorts) {}

  async refine(
    target: PlannedTarget,
    {
      unlessUnchanged,
      hint
    }: Pick<RefineStart, 'unlessUnchanged' | 'hint'> = {}
  ): Promise<void> {
    const { follower, sessions, trans, tell } = this.ports;
    if (unlessUnchanged && wasRefined(target.cells, target.plan)) {
      tell(
        trans.__(
          'Nothing to do for %1: prompt, checks and source are what they were at its last refinement.',
          target.view.label
        )
      );
      return;
    }
    const model = await this.model();
    if (model) {
      await this.start(target, 'refine', model, hint);
      rememberRun(target, follower, sessions);
    }
  }

  /** Attempt 0 only. */
  async check(target: PlannedTarget): Promise<void> {
    await this.ports.ready;
    await this.start(target, 'check', null);
  }

  /** Further attempts of a session that has ended, or was cut off by a reload. */
  async goOn(
    session: NotebookSession,
    count: number,
    hint?: string
  ): Promise<void> {
    const request = session.state?.request;
    const model = await this.model();
    if (!request || !model || session.isRunning) {
      return;
    }
    // Counted anew when a session goes on.
    const options = { ...request.options, maxAttempts: count };
    await session.run({
      mode: 'refine',
      ...this.models(model, options),
      options,
      hint,
      request: () => Promise.resolve({ ...request, options })
    });
  }

  /** The chosen model; null, with a notice, when there is none. */
  private async model(): Promise<ILanguageModel | null> {
    const { ready, catalog, tell, trans } = this.ports;
    await ready;
    const { model } = catalog;
    if (!model) {
      tell(modelNotice(catalog.setup, trans));
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

  private async start(
    target: PlannedTarget,
    mode: 'refine' | 'check',
    model: ILanguageModel | null,
    hint?: string
  ): Promise<void> {
    const { sessions, follower, settings, trans, tell, show } = this.ports;
    const { panel, plan } = target;
    show();
    if (sessions.running(panel)) {
      tell(
        trans.__(
          'A session is running in this notebook: stop it or wait for its end.'
        )
      );
      return;
    }
    const { options } = settings;
    const session = sessions.create(panel, plan.target.cellId);
    const running = session.run({
      mode,
      ...this.models(model, options),
      options,
      hint,
      request: (id, executor, signal) =>
        notebookRequest(target, plan, options, id, executor, signal)
    });
    follower.refresh();
    await running;
  }
}
