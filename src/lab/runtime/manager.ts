/** The refinement service: follows the active cell, runs sessions, and folds everything into one view. */
import { Signal, type ISignal } from '@lumino/signaling';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type {
  AnswerDetail,
  DisputeAnswer,
  IRefineManager,
  NoticeTone,
  RefineStart,
  RefineView,
  TargetView
} from '../../tokens';
import { isUsable } from '../../core/events/best';
import { attemptsLeft } from '../../core/events/history';
import { resolveOptions } from '../../notebook/options/cellOptions';
import { demoNotebook } from './demo';
import { FrameBatcher } from './frames';
import { marksOf } from './cells/marks';
import {
  findCell,
  insertApprovedChecks,
  setOwnMetadata,
  toggleCellRole
} from './cells/notebookEdits';
import { createParts, type ManagerParts } from './parts';
import type { ManagerPorts } from './ports';
import { plannedTarget, type PlannedTarget } from './target/plannedTarget';
import { previewRequest } from './target/preview';
import { editActiveCell, revealCell } from './cells/notebookActions';
import type { FollowedTarget } from './target/targetFollower';
import type { NotebookSession } from './session/session';
import { assembleView } from './view';

export class RefineManager implements IRefineManager {
  constructor(private readonly ports: ManagerPorts) {
    this.parts = createParts(ports, {
      onChange: () => this.frames.request(),
      onSession: panel => this.onSession(panel),
      notify: (notice, tone) => this.notify(notice, tone)
    });
    this.parts.follower.changed.connect(this.onTarget, this);
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
    return this.frames.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.removeEventListener('pagehide', this.onPageHide);
    this.frames.dispose();
    this.parts.sessions.flush();
    this.parts.sessions.dispose();
    this.parts.probe.dispose();
    this.parts.follower.dispose();
    Signal.clearData(this);
  }

  setPrompt(text: string): void {
    const { follower } = this.parts;
    const { panel, plan } = follower.current ?? {};
    if (plan?.promptOrigin === 'magic') {
      this.notify(
        this.ports.trans.__('Edit this prompt in the %%refine cell.')
      );
    } else if (panel && plan) {
      follower.setPrompt(panel, plan.target.cellId, text);
    }
  }

  async refine(start?: RefineStart): Promise<void> {
    const target = this.planned(start);
    if (target) {
      const { driver } = this.parts;
      await (start?.unlessUnchanged
        ? driver.refineInTurn(target)
        : driver.refine(target, start));
      this.frames.flushNow();
    }
  }

  async generateAssertions(
    start?: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.parts.driver.draft(target);
      this.frames.flushNow();
    }
  }

  async check(start?: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.parts.driver.check(target);
      this.frames.flushNow();
    }
  }

  async moreAttempts(count: number): Promise<void> {
    const session = this.shown();
    this.notice = null;
    if (session) {
      await this.parts.driver.goOn(session, { count });
      this.frames.flushNow();
    }
  }

  async answerDispute(dispute: DisputeAnswer): Promise<void> {
    const session = this.shown();
    this.notice = null;
    if (session?.state?.outcome?.dispute) {
      const count = attemptsLeft(session.state);
      await this.parts.driver.goOn(session, { count, dispute });
      this.frames.flushNow();
    }
  }

  addCheck(source: string): void {
    const { panel, plan } = this.parts.follower.current ?? {};
    const model = panel?.content.model;
    if (model && plan) {
      const cellId = insertApprovedChecks(model, plan.target.cellId, source);
      this.parts.follower.refresh();
      if (cellId) {
        revealCell(panel, cellId);
      }
    }
  }

  stop(): void {
    const panel = this.parts.follower.current?.panel;
    if (panel) {
      this.parts.driver.stop(panel);
    }
    // What follows a pass is no running session.
    this.shown()?.clean.stop();
  }

  setPaused(paused: boolean): void {
    this.shown()?.setPaused(paused);
  }

  step(): void {
    this.shown()?.step();
  }

  hint(text: string): void {
    const session = this.shown();
    if (session?.isRunning) {
      session.hint(text);
    } else if (session) {
      void this.parts.driver.goOn(session, { count: 1, hint: text });
    }
  }

  async accept(attempt: number): Promise<void> {
    const session = this.shown();
    const chosen = session?.attempt(attempt);
    if (!session?.state?.request || !chosen || !isUsable(chosen)) {
      return;
    }
    await session.end();
    await session.acceptance.take(session.state, chosen, session.lifetime);
    this.frames.flushNow();
  }

  async restore(): Promise<void> {
    const session = this.shown();
    if (session?.state?.request && !session.isRunning) {
      session.acceptance.restore(session.state);
      this.frames.flushNow();
    }
  }

  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void {
    this.shown()?.questions.answer(questionId, choiceId, detail);
  }

  async previewRequest(): ReturnType<IRefineManager['previewRequest']> {
    const target = this.planned();
    if (!target) {
      throw new Error(this.notice ?? '');
    }
    await this.parts.settled;
    return previewRequest({
      target,
      settings: this.parts.settings.options,
      keyVariables: this.parts.catalog.policy?.keyVariables,
      dialogs: this.ports.dialogs,
      trans: this.ports.trans
    });
  }

  async refreshModels(): Promise<void> {
    await this.parts.catalog.refresh();
  }

  async selectModel(profile: string, model: string): Promise<void> {
    await this.parts.settings.chooseModel(`${profile}/${model}`);
  }

  async setKey(key: string, baseUrl: string | null): Promise<void> {
    await this.parts.catalog.setKey(key, baseUrl);
    this.parts.settings.chooseForNow(null);
  }

  async openDemo(): Promise<void> {
    const { services, commands } = this.ports;
    const path = await demoNotebook(services.serverSettings, this.ports.trans);
    await commands.execute('docmanager:open', { path });
    const { setup } = this.parts.catalog;
    const demo =
      setup.status === 'no-model' ? setup.profiles.find(p => p.demo) : null;
    if (demo) {
      this.parts.settings.chooseForNow(demo.name);
    }
  }

  async checkClean(): Promise<void> {
    const session = this.shown();
    await session?.checkClean();
    this.frames.flushNow();
  }

  revealCell(cellId: string): void {
    const panel = this.parts.follower.current?.panel;
    if (panel) {
      this.ports.shell.activateById(panel.id);
      revealCell(panel, cellId);
    }
  }

  editCell(cellId: string, line: number): void {
    this.revealCell(cellId);
    const panel = this.parts.follower.current?.panel;
    if (panel) {
      editActiveCell(panel, line);
    }
  }

  toggleAssertion(cellId: string): void {
    const model = this.ports.tracker.currentWidget?.content.model ?? null;
    const cell = findCell(model, cellId);
    if (cell?.type === 'code') {
      toggleCellRole(cell);
      this.parts.follower.refresh();
    }
  }

  approveAssertions(cellIds: readonly string[]): void {
    const { current } = this.parts.follower;
    for (const id of current ? cellIds : []) {
      const cell = findCell(current!.panel.content.model, id);
      if (cell) {
        setOwnMetadata(cell, 'approved', true);
      }
    }
    this.parts.follower.refresh();
  }

  /** The target to work on; null, with a notice, when there is none. */
  private planned(start?: RefineStart): PlannedTarget | null {
    const { tracker, trans } = this.ports;
    this.notice = null;
    const found = plannedTarget(this.parts.follower, tracker, trans, start);
    if ('refused' in found) {
      this.notify(found.refused);
      return null;
    }
    return found;
  }

  private shown(): NotebookSession | null {
    const followed = this.parts.follower.current;
    return followed
      ? this.parts.sessions.find(followed.panel, followed.view.cellId)
      : null;
  }

  private notify(notice: string | null, tone: NoticeTone = 'problem'): void {
    this.notice = notice;
    this.noticeTone = tone;
    this.frames.request();
  }

  private onTarget(): void {
    const panel = this.parts.follower.current?.panel;
    if (panel) {
      this.parts.probe.follow(panel);
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
        marksOf(this.parts.sessions.latest(panel), this.ports.trans)
      );
    }
    this.changedPanels.clear();
    this._view = null;
    this._viewChanged.emit();
  }

  private assemble(): RefineView {
    const followed = this.parts.follower.current;
    return assembleView({
      target: followed ? this.withEvaluators(followed) : null,
      models: this.parts.catalog.setup,
      isolation: this.parts.probe.of(followed?.panel ?? null),
      session: this.shown(),
      notice: this.notice,
      noticeTone: this.noticeTone
    });
  }

  private withEvaluators({ view, plan }: FollowedTarget): TargetView {
    const { evaluators } = plan
      ? resolveOptions(this.parts.settings.options, plan.cellOptions).options
      : { evaluators: [] };
    const { extensions } = this.ports;
    const added = evaluators.filter(name => extensions.evaluators.has(name));
    return added.length > 0 ? { ...view, evaluators: added } : view;
  }

  private readonly onPageHide = () => this.parts.sessions.flush();
  private readonly frames = new FrameBatcher(() => this.publish());
  private readonly parts: ManagerParts;
  private readonly changedPanels = new Set<NotebookPanel>();
  private notice: string | null = null;
  private noticeTone: NoticeTone = 'problem';
  private _view: RefineView | null = null;
  private readonly _viewChanged = new Signal<this, void>(this);
}
