/** The refinement service: follows the active cell, runs sessions, and folds everything into one view. */
import { Signal, type ISignal } from '@lumino/signaling';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IRefineManager, RefineStart, RefineView } from '../../tokens';
import { checkInCleanKernel } from './cleanCheck';
import { FrameBatcher } from './frames';
import { IsolationProbe } from './isolationProbe';
import { marksOf } from './marks';
import { ModelCatalog } from './modelCatalog';
import { findCell, toggleAssertion } from './notebookEdits';
import { NotebookSessions } from './notebookSessions';
import type { ManagerPorts } from './ports';
import { plannedTarget, type PlannedTarget } from './plannedTarget';
import { previewRequest } from './preview';
import { provenanceOf } from './provenanceOf';
import { revealCell, runInNotebook } from './notebookActions';
import type { NotebookSession } from './session';
import { SessionDriver } from './sessionDriver';
import { UserSettings } from './settings';
import { TargetFollower } from './targetFollower';
import { assembleView } from './view';

export class RefineManager implements IRefineManager {
  constructor(private readonly ports: ManagerPorts) {
    const { tracker, services, trans, dialogs, settings } = ports;
    const update = () => this.frames.request();
    this.settings = new UserSettings(settings, () => this.catalog.choose());
    this.catalog = new ModelCatalog(
      services.serverSettings,
      trans,
      () => this.settings.options.generatorModel
    );
    this.catalog.changed.connect(update);
    this.probe = new IsolationProbe(update);
    this.sessions = new NotebookSessions(
      panel => ({
        panel,
        trans,
        dialogs,
        storage: window.sessionStorage,
        acceptance: {
          run: cellIds => runInNotebook(panel, cellIds, dialogs),
          provenanceOf: (session, attempt) =>
            provenanceOf(session, attempt, this.catalog.version)
        }
      }),
      changed => this.onSession(changed)
    );
    this.follower = new TargetFollower(
      tracker,
      trans,
      panel => this.sessions.running(panel)?.cellId ?? null
    );
    this.follower.changed.connect(this.onTarget, this);
    window.addEventListener('pagehide', this.onPageHide);
    this.loading = this.settings.load().then(() => this.catalog.refresh());
    this.driver = new SessionDriver({
      sessions: this.sessions,
      follower: this.follower,
      catalog: this.catalog,
      settings: this.settings,
      trans,
      ready: this.loading,
      tell: notice => this.tell(notice)
    });
    this.onTarget();
  }

  get view(): RefineView {
    return (this._view ??= this.assemble());
  }

  get viewChanged(): ISignal<this, void> {
    return this._viewChanged;
  }

  get isDisposed(): boolean {
    return this.frames.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.removeEventListener('pagehide', this.onPageHide);
    this.frames.dispose();
    this.sessions.flush();
    this.sessions.dispose();
    this.follower.dispose();
    Signal.clearData(this);
  }

  setPrompt(text: string): void {
    const plan = this.follower.current?.plan;
    if (plan?.promptOrigin === 'magic') {
      this.tell(
        this.ports.trans.__(
          'The prompt of this target stands in its %%refine cell: change it there.'
        )
      );
    } else if (plan) {
      this.follower.setPrompt(plan.target.cellId, text);
    }
  }

  async refine(start?: RefineStart): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.driver.refine(target, start?.unlessUnchanged ?? false);
      this.frames.flushNow();
    }
  }

  async check(): Promise<void> {
    const target = this.planned();
    if (target) {
      await this.driver.check(target);
      this.frames.flushNow();
    }
  }

  async moreAttempts(count: number): Promise<void> {
    const session = this.shown();
    if (session) {
      await this.driver.goOn(session, count);
      this.frames.flushNow();
    }
  }

  stop(): void {
    this.shown()?.stop();
  }

  setPaused(paused: boolean): void {
    this.shown()?.setPaused(paused);
  }

  hint(text: string): void {
    const session = this.shown();
    if (session?.isRunning) {
      session.hint(text);
    } else if (session) {
      void this.driver.goOn(session, 1, text);
    }
  }

  async accept(attempt: number): Promise<void> {
    const session = this.shown();
    const chosen = session?.attempt(attempt);
    if (!session?.state?.request || !chosen || chosen.code === '') {
      return;
    }
    await session.end();
    await session.acceptance.take(session.state, chosen, session.lifetime);
    this.frames.flushNow();
  }

  async restore(): Promise<void> {
    const session = this.shown();
    if (session?.state?.request && !session.isRunning) {
      await session.acceptance.restore(session.state, session.lifetime);
      this.frames.flushNow();
    }
  }

  answer(questionId: string, choiceId: string): void {
    this.shown()?.questions.answer(questionId, choiceId);
  }

  async previewRequest(): ReturnType<IRefineManager['previewRequest']> {
    const target = this.planned();
    if (!target) {
      throw new Error(this.notice ?? '');
    }
    await this.loading;
    return previewRequest({
      target,
      settings: this.settings.options,
      dialogs: this.ports.dialogs,
      trans: this.ports.trans
    });
  }

  async refreshModels(): Promise<void> {
    await this.loading;
    await this.catalog.refresh();
  }

  async selectModel(profile: string, model: string): Promise<void> {
    await this.settings.chooseModel(`${profile}/${model}`);
  }

  async setKey(key: string, baseUrl: string | null): Promise<void> {
    await this.catalog.setKey(key, baseUrl);
    this.settings.chooseForNow(null);
  }

  async openDemo(): Promise<void> {
    const { services, commands } = this.ports;
    const { demoNotebook } = await import('./demo');
    const path = await demoNotebook(services.contents);
    await commands.execute('docmanager:open', { path });
    const { setup } = this.catalog;
    const demo =
      setup.status === 'no-model' ? setup.profiles.find(p => p.demo) : null;
    if (demo) {
      this.settings.chooseForNow(demo.name);
    }
  }

  async checkClean(): Promise<void> {
    const session = this.shown();
    await session?.clean.run(session, (request, candidate, signal) =>
      checkInCleanKernel({
        kernels: this.ports.services.kernels,
        kernelName: session.panel.sessionContext.session?.kernel?.name ?? '',
        cells: this.follower.read(session.panel, session.cellId)?.cells ?? [],
        request,
        candidate,
        trans: this.ports.trans,
        signal
      })
    );
  }

  revealCell(cellId: string): void {
    const panel = this.follower.current?.panel;
    if (panel) {
      this.ports.shell.activateById(panel.id);
      revealCell(panel, cellId);
    }
  }

  toggleAssertion(cellId: string): void {
    const model = this.ports.tracker.currentWidget?.content.model ?? null;
    const cell = findCell(model, cellId);
    if (cell?.type === 'code') {
      toggleAssertion(cell);
      this.follower.refresh();
    }
  }

  /** The target to work on; null, with a notice, when there is none. */
  private planned(start?: RefineStart): PlannedTarget | null {
    const { tracker, trans } = this.ports;
    this.notice = null;
    const found = plannedTarget(this.follower, tracker, trans, start);
    if ('refused' in found) {
      this.tell(found.refused);
      return null;
    }
    return found;
  }

  private shown(): NotebookSession | null {
    const followed = this.follower.current;
    return followed
      ? this.sessions.find(followed.panel, followed.view.cellId)
      : null;
  }

  private tell(notice: string): void {
    this.notice = notice;
    this.frames.request();
  }

  private onTarget(): void {
    const panel = this.follower.current?.panel;
    if (panel) {
      void this.probe.ask(panel);
    }
    this.frames.request();
  }

  private onSession(panel: NotebookPanel): void {
    this.changedPanels.add(panel);
    this.frames.request();
  }

  private publish(): void {
    for (const panel of this.changedPanels) {
      this.ports.decorations?.mark(
        panel,
        marksOf(this.sessions.latest(panel), this.ports.trans)
      );
    }
    this.changedPanels.clear();
    this._view = null;
    this._viewChanged.emit();
  }

  private assemble(): RefineView {
    const followed = this.follower.current;
    return assembleView({
      target: followed?.view ?? null,
      models: this.catalog.setup,
      isolation: this.probe.of(followed?.panel ?? null),
      session: this.shown(),
      notice: this.notice
    });
  }

  private readonly onPageHide = () => this.sessions.flush();
  private readonly frames = new FrameBatcher(() => this.publish());
  private readonly settings: UserSettings;
  private readonly catalog: ModelCatalog;
  private readonly probe: IsolationProbe;
  private readonly sessions: NotebookSessions;
  private readonly follower: TargetFollower;
  private readonly driver: SessionDriver;
  /** The settings and the first answer of the server are there. */
  private readonly loading: Promise<void>;
  private readonly changedPanels = new Set<NotebookPanel>();
  private notice: string | null = null;
  private _view: RefineView | null = null;
  private readonly _viewChanged = new Signal<this, void>(this);
}
