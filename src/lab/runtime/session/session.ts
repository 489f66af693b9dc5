/** One refinement of one cell of an open notebook, from the first click to the accepted attempt. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import { systemClock } from '../../../core/clock';
import type { Extensions, RefineDeps } from '../../../core/deps';
import { RefineError } from '../../../core/errors';
import type {
  EventBody,
  RefineEvent,
  WaitFor
} from '../../../core/events/events';
import type { IExecutor, PausedFrame } from '../../../core/domain/executor';
import { fold, initialState, interrupted } from '../../../core/events/fold';
import { check, refine } from '../../../core/loop';
import { addUsage, type ILanguageModel } from '../../../core/domain/model';
import type { RefineRequest } from '../../../core/domain/request';
import type { RefineOptions } from '../../../core/settings';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { SessionStop } from '../../../core/session/session';
import { Steering, type EditedCandidate } from '../../../core/session/steering';
import type { DisputeAnswer } from '../../../tokens';
import { Acceptance, type AcceptancePorts } from '../acceptance/acceptance';
import { onCellDeleted } from '../cells/notebookEdits';
import { CleanChecks, type CleanChecker } from '../cells/cleanCheck';
import type { UnrunAbove } from '../target/notebookRequest';
import { Questions } from '../questions';
import { openExecutor } from './run/executors';
import { offerCellsAbove } from './run/cellsAbove';
import { draftForCell } from './run/drafting';
import { askReview, askSession } from './run/questions';
import { Explanations, type AnswerWriter } from './explanations';
import { SessionJournal } from './journal';
import type { TabStore } from '../tabStore';
import { errorSentence, stoppedSentence } from '../words';
import { UUID } from '@lumino/coreutils';
import { hasChecks } from '../../../core/domain/checks/checks';
import { keepable } from '../../../core/domain/outcome';

export type SessionPorts = {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly dialogs: ISessionContextDialogs | null;
  readonly tab: TabStore;
  /** Takes the events of a session that has ended, and again when more follow; default: nobody does. */
  readonly keep?: (events: readonly RefineEvent[]) => void;
  /** Added by other extensions; default: none. */
  readonly extensions?: Extensions;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: () => readonly string[];
  /** Repeats an attempt in a fresh kernel. */
  readonly checkClean: CleanChecker;
  readonly acceptance: Pick<
    AcceptancePorts,
    'run' | 'review' | 'provenanceOf' | 'watchCells'
  >;
};

/** How a run starts. */
export type SessionStart = {
  /** `check`: attempt 0 only, `model` is not called. `draft`: assertions only, no attempt. */
  readonly mode: 'refine' | 'check' | 'draft';
  readonly model: ILanguageModel | null;
  /** Judges; the one that writes when left out. */
  readonly evaluatorModel?: ILanguageModel | null;
  readonly options: RefineOptions;
  /** Reads the notebook and asks the kernel for what the request contains of it. */
  readonly request: (
    session: string,
    executor: IExecutor,
    signal: AbortSignal
  ) => Promise<RefineRequest>;
  /** The cells above that have not run in the kernel; not given: nobody asks. */
  readonly unrunAbove?: (
    executor: IExecutor,
    signal: AbortSignal
  ) => Promise<UnrunAbove>;
} & RunWith;

/** What the user gives one run beside the settings. */
export type RunWith = {
  /** Goes into the first prompt of this run. */
  readonly hint?: string;
  /** Where the debugger has stopped the kernel. */
  readonly frame?: PausedFrame;
  /** The check that the last run ended with is right, or is left out. */
  readonly dispute?: DisputeAnswer;
  /** The attempt to refine, instead of the best. */
  readonly base?: number;
  /** Code of the user's own, run as the first attempt. */
  readonly edited?: EditedCandidate;
  /** Attempts at most; else the limit of the settings and of the cell. */
  readonly count?: number;
};

export class NotebookSession implements IDisposable {
  constructor(
    readonly cellId: string,
    private readonly ports: SessionPorts,
    /** Events of an earlier page, shown as they are. */
    earlier: readonly RefineEvent[] = []
  ) {
    const { panel, tab, trans } = ports;
    const changed = () => this._changed.emit();
    this.questions = new Questions(changed);
    this.clean = new CleanChecks(trans, changed);
    this.explanations = new Explanations(trans, changed);
    this.acceptance = new Acceptance({
      ...ports.acceptance,
      panel,
      trans,
      questions: this.questions,
      isPaused: () => this.pausedFrame !== undefined,
      onChange: changed,
      onWritten: written => this.takeNow({ type: 'acceptance', ...written }),
      notify: message => {
        this.failure = message;
        changed();
      }
    });
    this.journal = new SessionJournal(tab, () => panel.context.path, earlier);
    const [first] = earlier;
    if (first) {
      this.state = earlier.reduce(fold, initialState(first.session));
      this.interrupted = this.state.outcome === null;
      if (this.interrupted) {
        this.state = interrupted(this.state);
      }
      this.explanations.recall(this.state.explanations ?? []);
      if (this.state.outcome?.clean) {
        this.clean.recall(this.state.outcome.clean);
      }
      void panel.context.ready.then(() => this.acceptance.recall(this.state!));
    }
    panel.disposed.connect(this.dispose, this);
  }

  readonly questions: Questions;
  readonly acceptance: Acceptance;
  /** Null until the first run, and again when it could not start. */
  state: SessionState | null = null;
  /** Cut off by a reload. */
  interrupted = false;
  /** Why the last run could not start or continue; a sentence. */
  failure: string | null = null;
  readonly clean: CleanChecks;
  readonly explanations: Explanations;
  /** Of a running session. */
  steering: Steering | null = null;
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
    this.explanations.stop();
    const abort = new AbortController();
    this.running = abort;
    this.over = this.runToEnd(start, abort);
    await this.over;
    if (start.mode === 'refine' && this.failure === null) {
      await this.afterRun();
    }
  }

  /** The best attempt is written or offered, and repeated in a fresh kernel. */
  private async afterRun(): Promise<void> {
    const { acceptance, afterwards, ports, state } = this;
    const { request, outcome } = state ?? {};
    if (!state || !request || !outcome) {
      return;
    }
    const kept = request.options.keepBest === 'always' && keepable(outcome);
    const best = kept ? this.attempt(kept.attempt) : null;
    if (best && !this.isDisposed) {
      // What did not pass is written, and not run.
      await acceptance.take(state, best, afterwards.signal);
    }
    const passed = outcome.passed ? (outcome.best?.attempt ?? 0) : 0;
    const attempt = passed > 0 ? this.attempt(passed) : null;
    if (!attempt || this.isDisposed) {
      return;
    }
    try {
      await acceptance.onPass(state, attempt, afterwards.signal);
    } catch (reason) {
      this.failure = errorSentence(reason, ports.trans);
      this._changed.emit();
    }
    if (request.options.confirmClean && hasChecks(request)) {
      await this.checkClean();
    }
  }

  private async runToEnd(
    start: SessionStart,
    abort: AbortController
  ): Promise<void> {
    this.steering = new Steering();
    this.frame = start.frame;
    this.failure = null;
    this.interrupted = false;
    const before = this.state;
    const drafting = start.mode === 'draft';
    if (!drafting) {
      this.clean.forget();
      this.acceptance.start();
    }
    const earlier = before?.request && !drafting ? before : undefined;
    this.state = startingState(earlier);
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
      this.state = stateAfterFailure(this.state!, earlier);
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
      if (this.state?.outcome) {
        this.ports.keep?.(this.journal.kept);
      }
      this._changed.emit();
    }
  }

  /** Where the last run had its attempts, while the debugger is paused there. */
  get pausedFrame(): PausedFrame | undefined {
    return this.frame?.isPaused() ? this.frame : undefined;
  }

  stop(): void {
    this.running?.abort(new DOMException('Stopped', 'AbortError'));
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

  /** Write an answer in words; what it cost counts for the session that it is about. */
  async explain(question: string, writer: AnswerWriter): Promise<void> {
    const before = this.state;
    const explanation = await this.explanations.write(question, writer);
    if (explanation && before?.outcome && !this.isDisposed) {
      this.takeNow({ type: 'explanation', ...explanation });
      this.journal.flush();
    }
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
    this.explanations.stop();
    this.stop();
    this.afterwards.abort();
    this.acceptance.dispose();
    Signal.clearData(this);
  }

  private async drive(
    start: SessionStart,
    earlier: SessionState | undefined,
    signal: AbortSignal
  ): Promise<void> {
    const { panel, trans } = this.ports;
    const executor = await openExecutor(
      this.ports,
      this.questions,
      start.options,
      signal,
      reason => this.wait(reason),
      start.frame
    );
    try {
      const { questions } = this;
      const unrun = await start.unrunAbove?.(executor, signal);
      if (unrun) {
        const { run } = this.ports.acceptance;
        await offerCellsAbove(
          unrun,
          {
            panel,
            trans,
            questions,
            run,
            onWait: (...why) => this.wait(...why)
          },
          signal
        );
      }
      const request = await start.request(
        this.state!.session,
        executor,
        signal
      );
      if (start.mode === 'draft') {
        await draftForCell({
          ...{ request, executor, signal, panel, trans, questions },
          model: start.model!,
          wait: (...why) => this.wait(...why),
          onCall: used => {
            const usage = addUsage(this.state!.usage, used);
            this.state = { ...this.state!, usage };
          }
        });
        return;
      }
      const steering = this.steering!;
      steer(steering, start);
      const deps = this.deps(start, executor, signal);
      const events =
        start.mode === 'check'
          ? check(request, deps)
          : refine(request, deps, earlier);
      for await (const event of events) {
        this.take(event);
      }
    } finally {
      executor.dispose();
    }
  }

  /** What the loop receives: models, the kernel, and the panel's questions. */
  private deps(
    start: SessionStart,
    executor: IExecutor,
    signal: AbortSignal
  ): RefineDeps {
    const { questions } = this;
    const { trans, extensions } = this.ports;
    return {
      generator: start.model,
      evaluatorModel: start.evaluatorModel,
      extensions,
      executor,
      clock: systemClock,
      steering: this.steering!,
      ask: askSession(questions, trans),
      review: (review, asked) => askReview(questions, review, asked, trans),
      signal
    };
  }

  /** What the start waits for, before there is an event to report it. */
  private wait(reason: string | null, subject: WaitFor = 'kernel'): void {
    const waiting = reason === null ? null : { for: subject, reason };
    const phase = waiting ? 'waiting' : 'starting';
    this.state = { ...this.state!, phase, waiting };
    this._changed.emit();
  }

  /** An event of the panel itself. */
  private takeNow(body: EventBody): void {
    const { session } = this.state!;
    this.take({ ...body, at: systemClock.now(), session } as RefineEvent);
    if (this.state?.outcome && !this.running) {
      this.ports.keep?.(this.journal.kept);
    }
  }

  private take(event: RefineEvent): void {
    this.state = fold(this.state!, event);
    this.journal.append(event);
    this._changed.emit();
  }

  private readonly journal: SessionJournal;
  private readonly closed = new AbortController();
  private afterwards = new AbortController();
  private running: AbortController | null = null;
  private frame: PausedFrame | undefined;
  private readonly _changed = new Signal<this, void>(this);
}

/** @param earlier the session that goes on; a new one when left out. */
function startingState(earlier?: SessionState): SessionState {
  return earlier
    ? { ...earlier, outcome: null, phase: 'starting' }
    : { ...initialState(UUID.uuid4()), startedAt: systemClock.now() };
}

/** What the panel shows when a run could not start, or broke off: the session before it. */
function stateAfterFailure(
  state: SessionState,
  earlier?: SessionState
): SessionState | null {
  if (!state.request) {
    return null;
  }
  return earlier && state.outcome === null ? { ...earlier } : state;
}

/** What the user gave this run, before its first attempt. */
function steer(steering: Steering, start: SessionStart): void {
  if (start.hint) {
    steering.hint(start.hint);
  }
  if (start.base !== undefined) {
    steering.base(start.base);
  }
  if (start.edited) {
    steering.edit(start.edited);
  }
}
