/** One refinement of one cell of an open notebook, from the first click to the accepted attempt. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import { hasChecks } from '../../../core/domain/checks';
import { systemClock } from '../../../core/clock';
import type { Drafts } from '../../../core/domain/drafted';
import { draftAssertions } from '../../../core/drafts/drafts';
import type { Denial, Review } from '../../../core/deps';
import { RefineError } from '../../../core/errors';
import type { RefineEvent, WaitFor } from '../../../core/events/events';
import type { PausedFrame } from '../../../core/domain/frame';
import type { IExecutor } from '../../../core/domain/executor';
import { fold, initialState, interrupted } from '../../../core/events/fold';
import { check, refine } from '../../../core/loop';
import { keepable, type Outcome } from '../../../core/domain/outcome';
import { addUsage, type ILanguageModel } from '../../../core/domain/model';
import type { RefineRequest } from '../../../core/domain/request';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { SessionStop } from '../../../core/session/session';
import { Steering } from '../../../core/session/steering';
import { Acceptance } from '../cells/acceptance';
import { onCellDeleted } from '../cells/notebookEdits';
import { SessionStanding } from '../cells/standing';
import { CleanChecks } from '../cells/cleanChecks';
import { approveDrafts, type DraftPorts } from '../cells/draftApproval';
import { Questions } from '../questions';
import { SessionExecutors } from './executors';
import { offerCellsAbove } from './cellsAbove';
import { checksNow } from './editedChecks';
import { SessionJournal } from './journal';
import type { EventBody } from '../../../core/session/session';
import type { SessionPorts, SessionStart } from './ports';
import { askPermit, askReview, askSession } from './questions';
import { nameRunningCell, withRunningCell } from '../waiting';
import { errorSentence, stoppedSentence } from '../words';

export class NotebookSession implements IDisposable {
  constructor(
    readonly cellId: string,
    private readonly ports: SessionPorts,
    /** Events of an earlier page, shown as they are. */
    earlier: readonly RefineEvent[] = []
  ) {
    const { panel, storage, trans } = ports;
    const changed = () => this._changed.emit();
    this.questions = new Questions(changed);
    this.executors = new SessionExecutors(ports, this.questions);
    this.clean = new CleanChecks(trans, changed);
    this.acceptance = new Acceptance({
      ...ports.acceptance,
      panel,
      trans,
      questions: this.questions,
      onWrite: () => this.standing.forget(),
      isPaused: () => this.pausedFrame !== undefined,
      onChange: changed,
      onWritten: written => this.takeNow({ type: 'acceptance', ...written }),
      notify: message => {
        this.failure = message;
        changed();
      }
    });
    this.standing = new SessionStanding({
      panel,
      trans,
      session: () => this.state,
      accepted: () => this.acceptance.state,
      watchCells: ports.watchCells,
      onChange: changed
    });
    this.journal = new SessionJournal(
      storage,
      () => panel.context.path,
      earlier
    );
    const [first] = earlier;
    if (first) {
      this.state = earlier.reduce(fold, initialState(first.session));
      this.interrupted = this.state.outcome === null;
      if (this.interrupted) {
        this.state = interrupted(this.state);
      }
      if (this.state.outcome?.clean) {
        this.clean.recall(this.state.outcome.clean);
      }
      void panel.context.ready.then(() => this.acceptance.recall(this.state!));
    }
    panel.disposed.connect(this.dispose, this);
  }

  readonly questions: Questions;
  readonly acceptance: Acceptance;
  readonly standing: SessionStanding;
  /** Null until the first run, and again when it could not start. */
  state: SessionState | null = null;
  /** Cut off by a reload. */
  interrupted = false;
  /** Why the last run could not start or continue; a sentence. */
  failure: string | null = null;
  readonly clean: CleanChecks;
  /** Settles when what runs has ended. */
  over: Promise<void> = Promise.resolve();

  /** Any of the above is another one now. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  get isDisposed(): boolean {
    return this.closed.signal.aborted;
  }

  get panel(): NotebookPanel {
    return this.ports.panel;
  }

  /** Resolves when the run has ended and what follows a pass is done; never rejects. */
  async run(start: SessionStart): Promise<void> {
    if (this.running || this.isDisposed) {
      return;
    }
    const abort = new AbortController();
    this.running = abort;
    this.over = this.runToEnd(start, abort);
    await this.over;
    if (start.mode === 'refine' && this.failure === null) {
      await this.afterPass();
    }
  }

  private async runToEnd(
    start: SessionStart,
    abort: AbortController
  ): Promise<void> {
    this.steering = new Steering();
    this.frame = start.frame ?? null;
    this.failure = null;
    this.interrupted = false;
    const before = this.state;
    const drafting = start.mode === 'draft';
    if (!drafting) {
      this.clean.forget();
    }
    const earlier = before?.request && !drafting ? before : undefined;
    this.state = earlier
      ? { ...earlier, outcome: null, phase: 'starting' }
      : {
          ...initialState(UUID.uuid4()),
          startedAt: systemClock.now()
        };
    this._changed.emit();
    const { panel } = this.ports;
    const unwatch = onCellDeleted(panel.content.model, this.cellId, () =>
      abort.abort(new SessionStop('target-changed'))
    );
    try {
      await this.drive(start, earlier, abort.signal);
    } catch (reason) {
      if (!abort.signal.aborted) {
        this.failure = errorSentence(reason, this.ports.trans);
        if (!(reason instanceof RefineError)) {
          console.error('jupyterlab-refine:', reason);
        }
      } else if (!drafting) {
        // A session that has started reports a stop itself, as its end.
        this.failure = stoppedSentence(abort.signal.reason, this.ports.trans);
      }
      this.goBack(earlier);
    } finally {
      unwatch();
      // Takes open questions of the run away.
      abort.abort();
      if (drafting) {
        this.state = before;
      }
      this.running = null;
      this.steering = null;
      this.journal.flush();
      this._changed.emit();
    }
  }

  /** Where the last run had its attempts, as long as the debugger stands there. */
  get pausedFrame(): PausedFrame | undefined {
    return this.frame?.isPaused() ? this.frame : undefined;
  }

  stop(): void {
    this.running?.abort(new DOMException('Stopped', 'AbortError'));
  }

  setPaused(paused: boolean): void {
    this.steering?.[paused ? 'pause' : 'continue']();
  }

  step(): void {
    this.steering?.step();
  }

  hint(text: string): void {
    this.steering?.hint(text);
  }

  attempt(number: number): AttemptState | null {
    return this.state?.attempts.find(a => a.attempt === number) ?? null;
  }

  /** Repeat what was accepted, or else the best attempt, in a fresh kernel; what was found stays with it. */
  async checkClean(): Promise<void> {
    const found = await this.clean.run(this, this.ports.checkClean);
    const { state } = this;
    if (!found || !state?.outcome || this.isDisposed) {
      return;
    }
    const { attempt, result } = found;
    this.takeNow({ type: 'fresh-kernel', attempt, result });
    this.acceptance.noteClean(state, attempt, result.passed);
  }

  /** Stop, and wait until what was running is over. */
  async end(): Promise<void> {
    this.stop();
    this.afterwards.abort();
    this.afterwards = new AbortController();
    await this.over;
  }

  /** Write the journal now: the page goes away. */
  flush(): void {
    if (this.state?.request) {
      this.journal.flush();
    }
  }

  /** Ends with the notebook. */
  get lifetime(): AbortSignal {
    return this.closed.signal;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.closed.abort();
    this.stop();
    this.afterwards.abort();
    this.standing.dispose();
    Signal.clearData(this);
  }

  private async drive(
    start: SessionStart,
    earlier: SessionState | undefined,
    signal: AbortSignal
  ): Promise<void> {
    const { panel, trans } = this.ports;
    const executor = await this.executors.open(
      start.options,
      signal,
      reason =>
        this.wait(reason ? nameRunningCell(panel, reason, trans) : null),
      start.frame
    );
    try {
      await this.offerCellsAbove(start, executor, signal);
      const request = await start.request(
        this.state!.session,
        executor,
        signal
      );
      if (start.mode === 'draft') {
        await this.draft(start.model!, request, executor, signal);
        return;
      }
      const deps = {
        generator: start.model,
        evaluatorModel: start.evaluatorModel,
        strongerModel: start.strongerModel,
        extensions: this.ports.extensions,
        executor,
        clock: systemClock,
        checksNow: (asked: AbortSignal) =>
          checksNow(panel, start.checks, this.state!.request ?? request, asked),
        steering: this.steering!,
        ask: askSession(this.questions, trans),
        permit: (denial: Denial, asked: AbortSignal) =>
          askPermit(this.questions, denial, asked, trans),
        approveDrafts: (drafts: Drafts, asked: AbortSignal) =>
          approveDrafts(this.draftPorts, drafts, this.cellId, true, asked),
        review: (review: Review, asked: AbortSignal) =>
          askReview(
            this.questions,
            review,
            this.attempt(review.attempt),
            asked,
            trans
          ),
        signal
      };
      if (start.hint) {
        this.steering!.hint(start.hint);
      }
      if (start.stepwise) {
        this.steering!.step();
      }
      const events =
        start.mode === 'check'
          ? check(request, deps)
          : refine(request, deps, earlier);
      try {
        for await (const event of events) {
          this.take(withRunningCell(event, panel, trans));
        }
      } catch (error) {
        // With raiseOnBudget: the panel has shown that end already.
        if (!(error instanceof RefineError && error.kind === 'budget')) {
          throw error;
        }
      }
    } finally {
      executor.dispose();
    }
  }

  private async offerCellsAbove(
    start: SessionStart,
    executor: IExecutor,
    signal: AbortSignal
  ): Promise<void> {
    const { panel, trans, acceptance } = this.ports;
    const unrun = await start.unrunAbove?.(executor, signal);
    if (unrun) {
      const { questions } = this;
      const onWait = (reason: string | null, subject?: 'permission') =>
        this.wait(reason, subject);
      const { run } = acceptance;
      await offerCellsAbove(
        unrun,
        { panel, trans, questions, run, onWait },
        signal
      );
    }
  }

  /** Drafts for a target without checks; an earlier state stays. */
  private async draft(
    model: ILanguageModel,
    request: RefineRequest,
    executor: IExecutor,
    signal: AbortSignal
  ): Promise<void> {
    const { trans } = this.ports;
    this.wait(
      trans.__(
        'Drafting assertions; each is tried on wrong versions of the cell.'
      ),
      'model'
    );
    const drafts = await draftAssertions(request, {
      model,
      executor,
      signal,
      onCall: usage => {
        this.state = {
          ...this.state!,
          usage: addUsage(this.state!.usage, usage)
        };
      }
    });
    this.wait('', 'human');
    await approveDrafts(this.draftPorts, drafts, this.cellId, false, signal);
  }

  private get draftPorts(): DraftPorts {
    const { panel, trans } = this.ports;
    return { panel, trans, questions: this.questions };
  }

  /** What the start waits for, before there is an event to report it. */
  private wait(reason: string | null, subject: WaitFor = 'kernel'): void {
    const waiting = reason === null ? null : { for: subject, reason };
    this.state = {
      ...this.state!,
      phase: waiting ? 'waiting' : 'starting',
      waiting
    };
    this._changed.emit();
  }

  /** An event of the panel itself. */
  private takeNow(body: EventBody): void {
    const { session } = this.state!;
    this.take({ ...body, at: systemClock.now(), session } as RefineEvent);
  }

  private take(event: RefineEvent): void {
    this.state = fold(this.state!, event);
    this.journal.append(event);
    this._changed.emit();
  }

  /** Restore the state from before a run that could not start. */
  private goBack(earlier: SessionState | undefined): void {
    if (!this.state?.request) {
      this.state = null;
    } else if (earlier && this.state.outcome === null) {
      this.state = { ...earlier };
    }
  }

  private async afterPass(): Promise<void> {
    const outcome = this.state?.outcome ?? null;
    if (outcome && this.state?.request?.options.keepBest === 'always') {
      await this.keepBest(outcome);
    }
    const best = outcome?.passed ? outcome.best : null;
    const attempt =
      best && best.attempt > 0 ? this.attempt(best.attempt) : null;
    if (attempt && !this.isDisposed) {
      try {
        await this.acceptance.onPass(
          this.state!,
          attempt,
          this.afterwards.signal
        );
      } catch (reason) {
        this.failure = errorSentence(reason, this.ports.trans);
        this._changed.emit();
      }
      const { request } = this.state!;
      if (request?.options.confirmClean && hasChecks(request)) {
        await this.checkClean();
      }
    }
  }

  /** What did not pass is written, and not run. */
  private async keepBest(outcome: Outcome): Promise<void> {
    const best = keepable(outcome);
    const attempt = best ? this.attempt(best.attempt) : null;
    if (attempt && !this.isDisposed) {
      await this.acceptance.take(this.state!, attempt, this.afterwards.signal);
    }
  }

  private readonly executors: SessionExecutors;
  private readonly journal: SessionJournal;
  private readonly closed = new AbortController();
  private afterwards = new AbortController();
  private running: AbortController | null = null;
  private frame: PausedFrame | null = null;
  private steering: Steering | null = null;
  private readonly _changed = new Signal<this, void>(this);
}
