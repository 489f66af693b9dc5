/** The refinement service: what the panel and the commands can do. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import type {
  AnswerDetail,
  ComparedPair,
  DisputeAnswer,
  IRefineManager,
  NoticeTone,
  RefineStart,
  RefineView,
  TargetView
} from '../../tokens';
import { toAllow } from '../../core/domain/denied';
import type { SessionState } from '../../core/events/state';
import { isUsable } from '../../core/events/best';
import { attemptsLeft } from '../../core/events/history';
import type { EditedCandidate } from '../../core/session/steering';
import { holdsAttempt } from '../../notebook/acceptedSource';
import { resolveOptions } from '../../notebook/options/cellOptions';
import { wholeSource } from '../../notebook/structure/ownChecks';
import { CommandIDs } from '../ids';
import type { NotebookSession } from './session/session';
import type { FollowedTarget } from './target/targetFollower';
import { demoNotebook } from './demo';
import {
  findCell,
  insertApprovedChecks,
  setOwnMetadataOf,
  toggleCellRole
} from './cells/notebookEdits';
import { createParts, type ManagerParts } from './parts';
import { chosenPart } from './target/chosenPart';
import type { ManagerPorts } from './ports';
import {
  panelAt,
  plannedTarget,
  type PlannedTarget
} from './target/plannedTarget';
import { editActiveCell, revealCell } from './cells/notebookActions';
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { systemClock } from '../../core/clock';
import type { IExecutor } from '../../core/domain/executor';
import { fold, initialState } from '../../core/events/fold';
import { check } from '../../core/loop';
import type { RefineRequest } from '../../core/domain/request';
import type { ChatMessage } from '../../core/domain/model';
import type { RefineOptions } from '../../core/options';
import { buildMessages, memoryOf } from '../../core/prompts/prompts';
import { isBlankTarget } from '../../core/python/blank';
import { createExecutor } from '../../kernel/index';
import { kernelOf } from './kernelOf';
import { notebookRequest } from './target/notebookRequest';

/** Milliseconds between calls while the page is hidden, where no frame is ever drawn. */
const HIDDEN_MS = 250;

/** Turns many changes into at most one call per animation frame. */
class FrameBatcher implements IDisposable {
  constructor(private readonly flush: () => void) {}

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** Ask for one call with the next frame; asking again before it changes nothing. */
  request(): void {
    if (this.cancel || this.disposed) {
      return;
    }
    const run = () => {
      this.cancel = null;
      this.flush();
    };
    if (document.visibilityState === 'hidden') {
      const timer = setTimeout(run, HIDDEN_MS);
      this.cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.cancel = () => cancelAnimationFrame(frame);
    }
  }

  /** Call now, and not again for what was asked before. */
  flushNow(): void {
    this.cancel?.();
    this.cancel = null;
    if (!this.disposed) {
      this.flush();
    }
  }

  dispose(): void {
    this.cancel?.();
    this.cancel = null;
    this.disposed = true;
  }

  private cancel: (() => void) | null = null;
  private disposed = false;
}

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
    const { follower, probe, sessions } = this.parts;
    this.frames.dispose();
    sessions.flush();
    sessions.dispose();
    probe.dispose();
    follower.dispose();
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
    const part = target && start && chosenPart(target, start, this.ports.trans);
    if (part && 'refused' in part) {
      this.notify(part.refused);
    } else if (target) {
      const { driver } = this.parts;
      await (start?.unlessUnchanged
        ? driver.refineInTurn(target)
        : driver.refine(target, start, part ?? null));
      this.flushNow();
    }
  }

  async generateAssertions(
    start?: Pick<RefineStart, 'path' | 'cellId'>
  ): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.parts.driver.draft(target);
      this.flushNow();
    }
  }

  async check(start?: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    const target = this.planned(start);
    if (target) {
      await this.parts.driver.check(target);
      this.flushNow();
    }
  }

  async moreAttempts(count: number): Promise<void> {
    const session = this.session;
    this.notice = null;
    if (session) {
      await this.parts.driver.goOn(session, { count });
      this.flushNow();
    }
  }

  async answerDispute(dispute: DisputeAnswer): Promise<void> {
    const session = this.session;
    this.notice = null;
    if (session?.state?.outcome?.dispute) {
      const count = attemptsLeft(session.state);
      await this.parts.driver.goOn(session, { count, dispute });
      this.flushNow();
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
    this.session?.clean.stop();
    this.session?.explanations.stop();
  }

  setPaused(paused: boolean): void {
    this.session?.setPaused(paused);
  }

  step(): void {
    this.session?.step();
  }

  hint(text: string): void {
    const session = this.session;
    if (session?.isRunning) {
      session.hint(text);
    } else if (session) {
      void this.followUp(text);
    }
  }

  async followUp(text: string): Promise<void> {
    const session = this.session;
    this.notice = null;
    if (session && text.trim() !== '') {
      await this.parts.driver.followUp(session, text.trim());
      this.flushNow();
    }
  }

  async ask(question: string): Promise<void> {
    const followed = this.parts.follower.current;
    this.notice = null;
    if (followed && question.trim() !== '') {
      const { panel, view } = followed;
      await this.parts.explainer.ask(panel, view.cellId, question.trim());
      this.flushNow();
    }
  }

  async explainError({
    path,
    cellId
  }: Pick<RefineStart, 'path' | 'cellId'>): Promise<void> {
    const panel = panelAt(this.ports.tracker, path);
    this.notice = null;
    if (panel) {
      await this.parts.explainer.explainError(panel, cellId);
      this.flushNow();
    }
  }

  async compare(pair: ComparedPair): Promise<void> {
    await this.ports.commands.execute(CommandIDs.compare, { ...pair });
  }

  async continueFrom(attempt: number, count: number): Promise<void> {
    const session = this.session;
    this.notice = null;
    if (session?.isRunning) {
      session.base(attempt);
    } else if (session?.attempt(attempt)) {
      await this.parts.driver.goOn(session, { count, base: attempt });
      this.flushNow();
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
    }
  }

  /** Of the shown session: run this as its next attempt. */
  private async runNext(edited: EditedCandidate): Promise<void> {
    const session = this.session;
    this.notice = null;
    if (session?.isRunning) {
      session.edit(edited);
    } else if (session) {
      await this.parts.driver.goOn(session, { count: 1, edited });
      this.flushNow();
    }
  }

  async showHistory(shown: boolean): Promise<void> {
    const path = this.parts.follower.current?.panel.context.path;
    if (shown && path !== undefined) {
      await this.parts.history.open(path);
    } else {
      this.parts.history.close();
    }
  }

  openPast(id: string | null): Promise<void> {
    return this.parts.history.choose(id);
  }

  async debug(attempt: number): Promise<void> {
    if (this.ports.commands.hasCommand(CommandIDs.debugAttempt)) {
      await this.ports.commands.execute(CommandIDs.debugAttempt, { attempt });
    } else {
      this.notify(
        this.ports.trans.__('There is no debugger in this application.')
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
    this.flushNow();
  }

  async restore(): Promise<void> {
    const session = this.session;
    if (session?.state?.request && !session.isRunning) {
      session.acceptance.restore(session.state);
      this.flushNow();
    }
  }

  answer(questionId: string, choiceId: string, detail?: AnswerDetail): void {
    this.session?.questions.answer(questionId, choiceId, detail);
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

  async refreshModels(again = false): Promise<void> {
    await this.parts.catalog.refresh(again);
  }

  async selectModel(profile: string, model: string): Promise<void> {
    await this.parts.settings.chooseModel(`${profile}/${model}`);
  }

  async setKey(key: string, baseUrl: string | null): Promise<void> {
    await this.parts.catalog.setKey(key, baseUrl);
    this.parts.settings.chooseForNow(null);
  }

  async openDemo(): Promise<void> {
    const { commands, trans } = this.ports;
    const { catalog } = this.parts;
    const path = await demoNotebook(catalog.settings, trans);
    await commands.execute('docmanager:open', { path });
    if (catalog.setup.status === 'loading') {
      await catalog.refresh();
    }
    const { setup } = catalog;
    const demo =
      setup.status === 'no-model' ? setup.profiles.find(p => p.demo) : null;
    if (demo) {
      this.parts.settings.chooseForNow(demo.name);
    }
  }

  async checkClean(): Promise<void> {
    const session = this.session;
    await session?.checkClean();
    this.flushNow();
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

  setOnlyTagged(only: boolean): void {
    const { panel, plan } = this.parts.follower.current ?? {};
    const cells = plan ? [plan.target.cellId] : [];
    setOwnMetadataOf(panel, cells, 'onlyTagged', only || undefined);
    this.parts.follower.refresh();
  }

  /** Renew the view now. */
  private flushNow(): void {
    this.frames.flushNow();
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

  /** Of the cell that the panel shows. */
  private get session(): NotebookSession | null {
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
      const { cellId = null } = this.parts.sessions.running(panel) ?? {};
      this.ports.decorations?.mark(panel, cellId);
    }
    this.changedPanels.clear();
    this._view = null;
    this._viewChanged.emit();
  }

  private assemble(): RefineView {
    const { session, notice, parts } = this;
    const followed = parts.follower.current;
    const target = followed && {
      ...this.withEvaluators(followed),
      edited: this.isEdited(followed)
    };
    return {
      target,
      models: parts.catalog.setup,
      // As probed; a session has its own.
      isolation:
        session?.state?.isolation ?? parts.probe.of(followed?.panel ?? null),
      session: session?.state ?? null,
      history: parts.history.view,
      question: session?.questions.current ?? null,
      accepted: session?.acceptance.state ?? null,
      standing: session?.standing.view ?? null,
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
      ? resolveOptions(this.parts.settings.options, plan.cellOptions).options
      : { evaluators: [] };
    const { extensions } = this.ports;
    const added = evaluators.filter(name => extensions.evaluators.has(name));
    return added.length > 0 ? { ...view, evaluators: added } : view;
  }

  private readonly onPageHide = () => this.parts.sessions.flush();
  private readonly parts: ManagerParts;
  /** Why nothing could start; null: nothing to show. */
  private notice: string | null = null;
  private readonly frames = new FrameBatcher(() => this.publish());
  private readonly changedPanels = new Set<NotebookPanel>();
  private noticeTone: NoticeTone = 'problem';
  private _view: RefineView | null = null;
  private readonly _viewChanged = new Signal<this, void>(this);
}

/** Longest wait for a kernel that is busy, ms. */
const WAIT_MS = 30_000;

/**
 * Reads the kernel's variables. What the target holds is checked first, because
 * the prompt of attempt 1 reports it, where that can be done in a fork; a live kernel
 * runs nothing for a preview.
 */
async function previewRequest(parts: {
  readonly target: PlannedTarget;
  readonly settings: RefineOptions;
  readonly keyVariables?: readonly string[];
  readonly dialogs: ISessionContextDialogs | null;
  readonly trans: TranslationBundle;
}): Promise<readonly ChatMessage[]> {
  const { target, settings, dialogs, trans } = parts;
  const signal = AbortSignal.timeout(WAIT_MS);
  const kernel = await kernelOf(target.panel, dialogs, trans);
  const executor = await createExecutor(kernel, {
    isolation: settings.isolation,
    allowLive: () => Promise.resolve(true),
    keyVariables: parts.keyVariables,
    signal
  });
  try {
    const request = await notebookRequest(
      target,
      target.plan,
      settings,
      'preview',
      executor,
      signal
    );
    const isolation = await executor.prepare(signal);
    const checked =
      isolation.mode === 'fork' &&
      !isBlankTarget(request.target, request.language)
        ? await checkedState(request, executor, signal)
        : initialState(request.session);
    return buildMessages(request, memoryOf(checked));
  } finally {
    executor.dispose();
  }
}

/** Attempt 0, as the session would make it. */
async function checkedState(
  request: RefineRequest,
  executor: IExecutor,
  signal: AbortSignal
): Promise<SessionState> {
  let state = initialState(request.session);
  for await (const event of check(request, {
    executor,
    clock: systemClock,
    signal
  })) {
    state = fold(state, event);
  }
  return state;
}
