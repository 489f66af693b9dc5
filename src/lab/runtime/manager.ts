/** The refinement service: what the panel and the commands can do. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal, type ISignal } from '@lumino/signaling';
import type {
  AnswerDetail,
  ComparedPair,
  DisputeAnswer,
  IRefineManager,
  IRefineModels,
  NoticeTone,
  RefineStart,
  RefineView,
  TargetView
} from '../../tokens';
import { toAllow } from '../../core/domain/execution';
import type { AttemptState, SessionState } from '../../core/events/state';
import { attemptsLeft } from '../../core/events/history';
import type { EditedCandidate } from '../../core/session/steering';
import { resolveOptions } from '../../notebook/options';
import { wholeSource } from '../../notebook/structure/ownChecks';
import { CommandIDs } from '../ids';
import { NotebookSessions } from './session/notebookSessions';
import type { NotebookSession, SessionPorts } from './session/session';
import { SessionDriver } from './session/driver';
import { Explainer } from './session/explainer';
import { IndexedPastStore, SessionHistory } from './history';
import { UserSettings } from './settings';
import { TabStore } from './tabStore';
import { TargetFollower, type FollowedTarget } from './target/targetFollower';
import { demoNotebook } from './demo';
import {
  findCell,
  setOwnMetadataOf,
  toggleCellRole
} from './cells/notebookEdits';
import {
  chosenPart,
  panelAt,
  plannedTarget,
  type PlannedTarget
} from './target/plannedTarget';
import {
  editActiveCell,
  revealCell,
  runInNotebook,
  watchCells
} from './cells/notebookActions';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { ServiceManager } from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { CommandRegistry } from '@lumino/commands';
import { confirmedCounts } from '../../core/domain/checks/confirmation';
import type { Extensions } from '../../core/deps';
import { bestAttempt, isUsable } from '../../core/events/best';
import { pageServer } from '../../models/pageServer';
import {
  holdsAttempt,
  provenance,
  type ResultMetadata
} from '../../notebook/provenance';
import { inLite } from '../lite';
import { showPanel } from '../panel/showPanel';
import { reviewInCell } from './acceptance/cellReview';
import { freshKernelChecker } from './cells/cleanCheck';
import { IsolationProbe } from './isolationProbe';
import { isStillOffered, ModelCatalog } from './model/modelCatalog';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { systemClock } from '../../core/clock';
import { fold, initialState } from '../../core/events/fold';
import { check } from '../../core/loop';
import { buildMessages, memoryOf } from '../../core/prompts/prompts';
import { isBlankTarget } from '../../core/python/cell';
import { kernelOf } from './session/run/executors';
import { notebookRequest, readKernel } from './target/notebookRequest';

/** Longest wait for a kernel that is busy, ms. */
const WAIT_MS = 30_000;

/** Milliseconds between calls while the page is hidden, where no frame is ever drawn. */
const HIDDEN_MS = 250;

/** What the manager gets of the application; everything but the tracker and the services may be missing. */
type ManagerOptions = {
  readonly tracker: INotebookTracker;
  readonly shell: JupyterFrontEnd.IShell;
  readonly commands: CommandRegistry;
  readonly services: ServiceManager.IManager;
  readonly trans: TranslationBundle;
  readonly extensions: Extensions;
  readonly models: IRefineModels;
  readonly settings: ISettingRegistry | null;
  readonly dialogs: ISessionContextDialogs | null;
};

export class RefineManager implements IRefineManager {
  constructor(private readonly app: ManagerOptions) {
    const { tracker, services, trans } = app;
    const onChange = () => this.publishSoon();
    const tab = new TabStore(window.sessionStorage);
    this.history = new SessionHistory(
      new IndexedPastStore(window.indexedDB),
      services.serverSettings.baseUrl,
      onChange
    );
    services.contents.fileChanged.connect((_, change) => {
      const { path } = change.oldValue ?? {};
      const renamed = change.newValue?.path;
      if (change.type === 'rename' && path && renamed) {
        void this.history.rename(path, renamed);
      }
    });
    this.settings = new UserSettings(
      app.settings,
      tab,
      () => this.catalog.choose(),
      () => this.catalog.policy
    );
    this.catalog = new ModelCatalog(
      inLite()
        ? { ...services.serverSettings, fetch: pageServer() }
        : services.serverSettings,
      trans,
      () => this.settings.options.generatorModel,
      app.models
    );
    this.probe = new IsolationProbe(onChange);
    this.sessions = new NotebookSessions(
      panel => ({
        ...sessionPorts(app, this.catalog, tab, panel),
        keep: events => void this.history.keep(panel.context.path, events)
      }),
      onChange
    );
    const allowsGraded = () => this.catalog.policy?.refineGradedCells === true;
    this.follower = new TargetFollower(
      tracker,
      trans,
      tab,
      panel => this.sessions.running(panel)?.cellId ?? null,
      allowsGraded,
      panel => this.sessions.interrupted(panel)
    );
    let graded = false;
    this.catalog.changed.connect(() => {
      onChange();
      if (allowsGraded() !== graded) {
        graded = allowsGraded();
        this.follower.refresh();
      }
    });
    this.settled = this.settings.load();
    const parts = {
      sessions: this.sessions,
      follower: this.follower,
      catalog: this.catalog,
      settings: this.settings,
      trans,
      settled: this.settled,
      ready: this.settled.then(() => this.catalog.refresh()),
      notify: this.notify.bind(this),
      show: () => showPanel(app.shell)
    };
    this.driver = new SessionDriver(parts);
    this.explainer = new Explainer(parts, this.driver);
    this.follower.changed.connect(this.onTarget, this);
    window.addEventListener('pagehide', this.onPageHide);
    this.onTarget();
  }

  get view(): RefineView {
    return (this._view ??= this.assemble());
  }

  get viewChanged(): ISignal<this, void> {
    return this._viewChanged;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.removeEventListener('pagehide', this.onPageHide);
    this._isDisposed = true;
    this.cancelFrame?.();
    this.sessions.flush();
    this.sessions.dispose();
    this.probe.dispose();
    this.follower.dispose();
    Signal.clearData(this);
  }

  setPrompt(text: string): void {
    const { panel, plan } = this.follower.current ?? {};
    if (panel && plan) {
      this.follower.setPrompt(panel, plan.target.cellId, text);
    }
  }

  async refine(start?: RefineStart): Promise<void> {
    const target = this.planned(start);
    const part = target && start && chosenPart(target, start, this.app.trans);
    if (part && 'refused' in part) {
      this.notify(part.refused);
    } else if (target) {
      await (start?.unlessUnchanged
        ? this.driver.refineInTurn(target)
        : this.driver.refine(target, start, part ?? null));
    }
  }

  async generateAssertions(
    start?: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.driver.draft(target);
    }
  }

  async check(start?: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    const target = this.planned(start, true);
    if (target) {
      await this.driver.check(target);
    }
  }

  async moreAttempts(count: number): Promise<void> {
    const session = this.begin();
    await (session && this.driver.goOn(session, { count }));
  }

  async answerDispute(dispute: DisputeAnswer): Promise<void> {
    const session = this.begin();
    if (session?.state?.outcome?.dispute) {
      const count = attemptsLeft(session.state);
      await this.driver.goOn(session, { count, dispute });
    }
  }

  stop(): void {
    const panel = this.follower.current?.panel;
    if (panel) {
      this.driver.stop(panel);
    }
    // What follows a pass is no running session.
    this.session?.clean.stop();
    this.session?.explanations.stop();
  }

  setPaused(paused: boolean): void {
    this.session?.steering?.[paused ? 'pause' : 'continue']();
  }

  hint(text: string): void {
    const session = this.session;
    if (session?.isRunning) {
      session.steering?.hint(text);
    } else {
      void this.followUp(text);
    }
  }

  async followUp(text: string): Promise<void> {
    const session = this.begin();
    if (session && text.trim() !== '') {
      await this.driver.followUp(session, text.trim());
    }
  }

  async ask(question: string): Promise<void> {
    const followed = this.follower.current;
    this.notify(null);
    if (followed && question.trim() !== '') {
      const { panel, view } = followed;
      await this.explainer.ask(panel, view.cellId, question.trim());
    }
  }

  async explainError({
    path,
    cellId
  }: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    const panel = panelAt(this.app.tracker, path);
    this.notify(null);
    if (panel) {
      await this.explainer.explainError(panel, cellId);
    }
  }

  runningIn(path: string): string | null {
    const panel = panelAt(this.app.tracker, path);
    return panel ? (this.sessions.running(panel)?.cellId ?? null) : null;
  }

  async compare(pair: ComparedPair): Promise<void> {
    await this.app.commands.execute(CommandIDs.compare, { ...pair });
  }

  async continueFrom(attempt: number, count: number): Promise<void> {
    const session = this.begin();
    if (session?.isRunning) {
      session.steering?.base(attempt);
    } else if (session?.attempt(attempt)) {
      await this.driver.goOn(session, { count, base: attempt });
    }
  }

  runEdited(attempt: number, code: string): Promise<void> {
    return this.runNext({ from: attempt, code });
  }

  async allow(attempt: number): Promise<void> {
    const found = this.session?.attempt(attempt);
    const subject = toAllow(found?.execution ?? null);
    if (found && subject) {
      await this.runNext({ from: attempt, code: found.code, allow: subject });
      this.session?.steering?.continue();
    }
  }

  /** Of the shown session: run this as its next attempt. */
  private async runNext(edited: EditedCandidate): Promise<void> {
    const session = this.begin();
    if (session?.isRunning) {
      session.steering?.edit(edited);
    } else if (session) {
      await this.driver.goOn(session, { count: 1, edited });
    }
  }

  async showHistory(shown: boolean): Promise<void> {
    const path = this.follower.current?.panel.context.path;
    if (shown && path !== undefined) {
      await this.history.open(path);
    } else {
      this.history.close();
    }
  }

  openPast(id: string | null): Promise<void> {
    return this.history.choose(id);
  }

  async debug(attempt: number): Promise<void> {
    if (this.app.commands.hasCommand(CommandIDs.debugAttempt)) {
      await this.app.commands.execute(CommandIDs.debugAttempt, { attempt });
    } else {
      this.notify(
        this.app.trans.__('There is no debugger in this application.')
      );
    }
  }

  async accept(attempt: number, run = false): Promise<void> {
    const session = this.session;
    const chosen = session?.attempt(attempt);
    if (!session?.state?.request || !chosen || !isUsable(chosen)) {
      return;
    }
    await session.end();
    await session.acceptance.take(session.state, chosen, session.lifetime, run);
  }

  async restore(): Promise<void> {
    const session = this.session;
    if (session?.state?.request && !session.isRunning) {
      session.acceptance.restore(session.state);
    }
  }

  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void {
    this.session?.questions.answer(questionId, choiceId, detail);
  }

  /**
   * Reads the kernel's variables. What the target holds is checked first, because
   * the prompt of attempt 1 reports it, where that can be done in a fork; a live kernel
   * runs nothing for a preview.
   */
  async previewRequest(): ReturnType<IRefineManager['previewRequest']> {
    const target = this.planned();
    if (!target) {
      throw new Error(this.notice ?? '');
    }
    await this.settled;
    const { options } = this.settings;
    const { dialogs, trans } = this.app;
    const signal = AbortSignal.timeout(WAIT_MS);
    const kernel = await kernelOf(target.panel, dialogs, trans);
    const { keyVariables } = this.catalog.policy ?? {};
    return readKernel(kernel, options, keyVariables, signal, async executor => {
      const request = await notebookRequest(
        target,
        options,
        'preview',
        executor,
        signal
      );
      const isolation = await executor.prepare(signal);
      let state = initialState(request.session);
      if (
        isolation.mode === 'fork' &&
        !isBlankTarget(request.target, request.language)
      ) {
        // Attempt 0, as the session would make it.
        const deps = { executor, clock: systemClock, signal };
        for await (const event of check(request, deps)) {
          state = fold(state, event);
        }
      }
      return buildMessages(request, memoryOf(state));
    });
  }

  async refreshModels(again = false): Promise<void> {
    await this.catalog.refresh(again);
  }

  async selectModel(choice: string): Promise<void> {
    await this.settings.chooseModel(choice);
  }

  async setKey(key: string, baseUrl: string | null): Promise<void> {
    const problem = await this.catalog.setKey(key, baseUrl);
    this.settings.chooseForNow(null);
    const { generatorModel } = this.settings.options;
    if (!isStillOffered(generatorModel, this.catalog.setup)) {
      await this.settings.chooseModel('');
    }
    if (problem) {
      throw new Error(problem);
    }
  }

  async openDemo(): Promise<void> {
    const { commands, trans } = this.app;
    const { catalog } = this;
    const path = await demoNotebook(catalog.settings, trans);
    await commands.execute('docmanager:open', { path });
    if (catalog.setup.status === 'loading') {
      await catalog.refresh();
    }
    const { setup } = catalog;
    const demo =
      setup.status === 'no-model' ? setup.profiles.find(p => p.demo) : null;
    if (demo) {
      this.settings.chooseForNow(demo.name);
    }
  }

  async checkClean(): Promise<void> {
    await this.session?.checkClean();
  }

  revealCell(cellId: string): void {
    const panel = this.follower.current?.panel;
    if (panel) {
      this.app.shell.activateById(panel.id);
      revealCell(panel, cellId);
    }
  }

  editCell(cellId: string, line: number): void {
    this.revealCell(cellId);
    const panel = this.follower.current?.panel;
    if (panel) {
      editActiveCell(panel, line);
    }
  }

  toggleAssertion(cellId: string): void {
    const model = this.app.tracker.currentWidget?.content.model ?? null;
    const cell = findCell(model, cellId);
    if (cell?.type === 'code') {
      toggleCellRole(cell);
      this.follower.refresh();
    }
  }

  setOnlyTagged(only: boolean): void {
    const { panel, plan } = this.planned() ?? {};
    const cells = plan ? [plan.target.cellId] : [];
    setOwnMetadataOf(panel, cells, 'onlyTagged', only || undefined);
    this.follower.refresh();
  }

  /** The target to work on; null, with a notice, when there is none. */
  private planned(start?: RefineStart, isCheck = false): PlannedTarget | null {
    const { tracker, trans } = this.app;
    this.notify(null);
    const found = plannedTarget(this.follower, tracker, trans, start, isCheck);
    if ('refused' in found) {
      this.notify(found.refused);
      return null;
    }
    return found;
  }

  /** Of the cell that the panel shows. */
  private get session(): NotebookSession | null {
    const followed = this.follower.current;
    return followed
      ? this.sessions.find(followed.panel, followed.view.cellId)
      : null;
  }

  /** The same, for an action: what was noticed before is over. */
  private begin(): NotebookSession | null {
    this.notify(null);
    return this.session;
  }

  private notify(notice: string | null, tone: NoticeTone = 'problem'): void {
    this.notice = notice;
    this.noticeTone = tone;
    this.publishSoon();
  }

  private onTarget(): void {
    const panel = this.follower.current?.panel;
    if (panel) {
      this.probe.follow(panel);
    }
    this.publishSoon();
  }

  /** The view is another one, which is said with the next frame; a hidden page draws none. */
  private publishSoon(): void {
    this._view = null;
    if (this.cancelFrame || this.isDisposed) {
      return;
    }
    const run = () => this.publish();
    if (document.visibilityState === 'hidden') {
      const timer = setTimeout(run, HIDDEN_MS);
      this.cancelFrame = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.cancelFrame = () => cancelAnimationFrame(frame);
    }
  }

  private publish(): void {
    this.cancelFrame = null;
    this._viewChanged.emit();
  }

  private assemble(): RefineView {
    const { session, notice } = this;
    const followed = this.follower.current;
    const target = followed && {
      ...this.withEvaluators(followed),
      edited: this.isEdited(followed)
    };
    return {
      target,
      models: this.catalog.setup,
      // As probed; a session has its own.
      isolation:
        session?.state?.isolation ?? this.probe.of(followed?.panel ?? null),
      session: session?.state ?? null,
      history: this.history.view,
      question: session?.questions.current ?? null,
      accepted: session?.acceptance.state ?? null,
      standing: session?.acceptance.failure ?? null,
      cleanCheck: session?.clean.state ?? null,
      explanations: session?.explanations.list ?? [],
      interrupted: session?.interrupted ?? false,
      // The target shows a refusal already.
      notice: session?.failure ?? (notice === target?.refused ? null : notice),
      noticeTone: session?.failure ? 'problem' : this.noticeTone
    };
  }

  /** True when the notebook no longer holds what the running session was sent. */
  private isEdited({ plan }: FollowedTarget): boolean {
    const { request = null, attempts = [] } = this.session?.state ?? {};
    if (!plan || !request || !this.session?.isRunning) {
      return false;
    }
    const source = wholeSource(plan.target);
    return (
      (plan.prompt !== '' && plan.prompt !== request.prompt) ||
      (source !== wholeSource(request.target) &&
        !attempts.some(({ code }) => holdsAttempt(request, code, source)))
    );
  }

  private withEvaluators({ view, plan }: FollowedTarget): TargetView {
    const { evaluators } = plan
      ? resolveOptions(this.settings.options, plan.cellOptions).options
      : { evaluators: [] };
    const { extensions } = this.app;
    const added = evaluators.filter(name => extensions.evaluators.has(name));
    return added.length > 0 ? { ...view, evaluators: added } : view;
  }

  private readonly onPageHide = () => this.sessions.flush();
  private readonly history: SessionHistory;
  private readonly settings: UserSettings;
  private readonly catalog: ModelCatalog;
  private readonly probe: IsolationProbe;
  private readonly sessions: NotebookSessions;
  private readonly follower: TargetFollower;
  private readonly driver: SessionDriver;
  private readonly explainer: Explainer;
  /** The settings are there. */
  private readonly settled: Promise<void>;
  /** Why nothing could start; null: nothing to show. */
  private notice: string | null = null;
  private cancelFrame: (() => void) | null = null;
  private _isDisposed = false;
  private noticeTone: NoticeTone = 'problem';
  private _view: RefineView | null = null;
  private readonly _viewChanged = new Signal<this, void>(this);
}

/** What a session of a notebook needs. */
function sessionPorts(
  { trans, dialogs, services, extensions }: ManagerOptions,
  catalog: ModelCatalog,
  tab: TabStore,
  panel: NotebookPanel
): SessionPorts {
  return {
    panel,
    trans,
    dialogs,
    tab,
    extensions,
    keyVariables: () => catalog.policy?.keyVariables ?? [],
    checkClean: freshKernelChecker(
      panel,
      services.kernels,
      () => catalog.policy?.keyVariables,
      trans
    ),
    acceptance: {
      watchCells: listener => watchCells(panel, listener),
      run: cellIds => runInNotebook(panel, cellIds, dialogs),
      review: (cellId, options) => {
        const cell = panel.content.widgets.find(
          widget => widget.model.id === cellId
        );
        return cell ? reviewInCell(cell, { ...options, trans }) : null;
      },
      provenanceOf: (session, attempt) =>
        provenanceOf(session, attempt, catalog.version)
    }
  };
}

/**
 * What an accepted cell remembers. Undefined where there is nothing to record:
 * the session did not end, or what the cell held was taken back.
 */
function provenanceOf(
  { request, outcome, model, isolation }: SessionState,
  attempt: AttemptState,
  version: string
): ResultMetadata | undefined {
  if (!request || !outcome || attempt.attempt === 0) {
    return undefined;
  }
  const where = attempt.execution?.isolation ?? isolation;
  return where
    ? provenance({
        request,
        outcome,
        accepted: bestAttempt(attempt),
        isolation: where,
        // The user wrote it.
        model: attempt.editedFrom === undefined ? model : null,
        version,
        now: Date.now(),
        confirmed: confirmedCounts(attempt),
        clean:
          outcome.best?.attempt === attempt.attempt
            ? outcome.clean?.passed
            : undefined
      })
    : undefined;
}
