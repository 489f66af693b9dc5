/** One notebook: its kernel, the cells above, each target in order, and what is written. */
import { dirname, relative, resolve, sep } from 'node:path';
import { systemClock } from '../../core/clock';
import { DRAFTED_CELL } from '../../core/drafts/drafts';
import { RefineError } from '../../core/errors';
import type { AcceptanceStatus, RefineEvent } from '../../core/events/events';
import {
  keepable,
  type BestAttempt,
  type CleanResult
} from '../../core/domain/outcome';
import type { EventBody } from '../../core/session/session';
import type { Target } from '../../core/domain/request';
import {
  acceptedSource,
  applyOutcome,
  cellAt,
  cellsFromNotebook,
  fingerprint,
  isHarmless,
  planTarget,
  provenance,
  withDraftedAssertions,
  type NotebookCell,
  type NotebookContent,
  type TargetPolicy
} from '../../notebook';
import { accept } from './acceptance';
import type { CheckCommand, RunCommand } from '../cli/commands';
import { CellsAbove } from './cellsAbove';
import { CleanKernel } from './cleanKernel';
import type { IEventSink } from '../report/eventFile';
import { isolatedExecutor, type KernelExecutor } from './isolation';
import type { IJupyterServer } from '../server/jupyterServer';
import { kernelLanguage, LiveKernel } from '../server/liveKernel';
import type { ChosenModels } from '../server/modelChoice';
import type { Progress } from '../report/progress';
import type { IQuestions } from '../cli/questions';
import {
  statusOfError,
  type NotebookResult,
  type TargetResult
} from '../report/results';
import { chooseTargets, type ChosenTargets } from './targetChoice';
import {
  bestAttempt,
  resultOf,
  runTarget,
  type FinishedSession
} from './targetRun';

export type NotebookPorts = {
  readonly server: IJupyterServer;
  /** Null: check only. */
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  readonly progress: Progress;
  readonly events: IEventSink;
  readonly questions: IQuestions;
  readonly version: string;
  readonly signal: AbortSignal;
};

export type NotebookRunResult = Omit<NotebookResult, 'written'> & {
  /** With what was accepted. */
  readonly notebook: NotebookContent;
};

export type GivenNotebook = {
  readonly notebook: NotebookContent;
  /** Ids of the cells to refine, or that belong to one; empty: every target. */
  readonly cellIds: readonly string[];
};

/** Never rejects: what goes wrong with one notebook is its own result. */
export async function runNotebook(
  command: RunCommand | CheckCommand,
  path: string,
  given: GivenNotebook,
  ports: NotebookPorts
): Promise<NotebookRunResult> {
  const run = new NotebookRun(command, path, given, ports);
  try {
    await run.start();
    await run.targets();
    return run.result(null);
  } catch (error) {
    return run.result(error);
  } finally {
    await run.end();
  }
}

class NotebookRun {
  constructor(
    private readonly _command: RunCommand | CheckCommand,
    private readonly _path: string,
    given: GivenNotebook,
    private readonly _ports: NotebookPorts
  ) {
    this._notebook = given.notebook;
    this._cellIds = given.cellIds;
  }

  /** Start the kernel and probe how attempts can be isolated in it. */
  async start(): Promise<void> {
    const { server, signal, progress, questions } = this._ports;
    signal.throwIfAborted();
    const name = this._command.kernel ?? kernelName(this._notebook);
    const language = await kernelLanguage(server.settings, name);
    progress.status(`starting the kernel ${name ?? ''}`);
    const kernel = await this._startKernel();
    this._kernel = kernel;
    await kernel.ready(signal);
    const { language_info } = await kernel.connection.info;
    this._language = language_info.name.toLowerCase() || (language ?? 'python');
    this._above = new CellsAbove({
      path: this._path,
      language: this._language,
      kernel,
      seconds: this._command.options.sessionTimeout,
      onCell: label => progress.status(`running ${label}`),
      onTolerated: message => progress.note(`  ${message}`)
    });
    this._clean = new CleanKernel({
      path: this._path,
      language: this._language,
      above: this._above,
      start: async () => {
        const fresh = await this._startKernel();
        return {
          connection: fresh.connection,
          shutdown: () => fresh.shutdown()
        };
      },
      keyVariables: this._ports.keyVariables,
      onPlan: text => progress.note(`  ${text}`),
      onWaiting: text => progress.status(text)
    });
    // Nobody is asked about isolation for a notebook that has nothing to refine.
    this._chosen = chooseTargets(
      this._path,
      cellsFromNotebook(this._notebook),
      this._language,
      this._cellIds,
      this._ports.policy
    );
    const { targets } = this._chosen;
    if (this._prompt !== null && targets.length > 1) {
      throw new RefineError(
        'input',
        `--prompt is the task of one target, but ${this._path} has ${targets.length}. Choose one with --cell.`
      );
    }
    this._executor = await isolatedExecutor(
      kernel.connection,
      this._command.options,
      {
        questions,
        signal,
        startKernel: async () => {
          const second = await this._startKernel();
          this._second.push(second);
          return second.connection;
        },
        keyVariables: this._ports.keyVariables,
        onWaiting: reason => progress.status(reason ?? '')
      }
    );
  }

  private get _prompt(): string | null {
    return this._command.command === 'run' ? this._command.prompt : null;
  }

  private _startKernel(): Promise<LiveKernel> {
    const { server } = this._ports;
    return LiveKernel.start(server.settings, {
      name: this._command.kernel ?? kernelName(this._notebook),
      folder: folderOnServer(server.root, this._path)
    });
  }

  async targets(): Promise<void> {
    const { targets, notes } = this._chosen;
    notes.forEach(note => this._ports.progress.warn(note));
    for (const target of targets) {
      this._ports.signal.throwIfAborted();
      if (this._silent) {
        throw new RefineError(
          'kernel',
          'The kernel stopped answering after the last accepted cell. The cells below it were not refined.',
          { code: 'kernel-silent' }
        );
      }
      const done = await this._target(target);
      this._results.push(done);
      if (done.status === 'interrupted' || done.status === 'error') {
        return;
      }
    }
  }

  result(error: unknown): NotebookRunResult {
    const { signal } = this._ports;
    const interrupted = signal.aborted && error !== null;
    return {
      path: this._path,
      notebook: this._drafted.reduce(
        (notebook, { target, source, approved }) =>
          withDraftedAssertions(notebook, target, source, approved),
        this._notebook
      ),
      targets: this._results,
      problem: interrupted
        ? { status: 'interrupted', message: 'stopped' }
        : error === null
          ? null
          : { status: statusOfError(error), message: messageOf(error) }
    };
  }

  async end(): Promise<void> {
    this._executor?.dispose();
    await this._clean?.end();
    await Promise.all(this._second.map(kernel => kernel.shutdown()));
    await this._kernel?.shutdown();
  }

  private async _target(target: Target): Promise<TargetResult> {
    const { models, progress, events, signal } = this._ports;
    const cells = cellsFromNotebook(this._notebook);
    await this._above!.runBefore(cells, target.index, signal);
    const session = await runTarget({
      path: this._path,
      cells,
      target,
      language: this._language,
      settings: this._command.options,
      prompt: this._prompt,
      executor: this._executor!,
      models,
      progress,
      events,
      questions: this._ports.questions,
      signal
    });
    const result = await this._confirmed(
      cells,
      session,
      resultOf(target, session)
    );
    this._keepDrafts(target, session);
    const { outcome } = session;
    if (result.status === 'passed' && outcome.best!.attempt > 0) {
      return this._accept(target, session, result);
    }
    if (result.accepted === 'unchanged') {
      this._reportAcceptance(session, 'unchanged');
    }
    this._above!.tolerate(target.cellId);
    return outcome.unverified
      ? this._keep(target, session, result)
      : this._keepBest(target, session, result);
  }

  /** What did not pass is written where `--keep-best` asks for it: marked as such, and not run for real. */
  private _keepBest(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TargetResult {
    const { outcome, request, state } = session;
    const best = keepable(outcome);
    if (best === null || request.options.keepBest !== 'always') {
      return result;
    }
    if (!isHarmless(bestAttempt(state, outcome)?.execution ?? null)) {
      this._above!.leaveOut(target.cellId);
    }
    const kept = this._keep(target, session, result);
    this._record(target, session, best);
    this._ports.progress.warn(
      `  Kept: attempt ${best.attempt}, which did not pass. It was not run.`
    );
    return kept;
  }

  /** A pass that is repeated in a fresh kernel, where the settings say so. */
  private async _confirmed(
    cells: readonly NotebookCell[],
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, outcome } = session;
    const { signal, progress } = this._ports;
    if (!outcome.passed || !request.options.confirmClean) {
      return result;
    }
    progress.status('starting a fresh kernel');
    let clean: CleanResult | null;
    try {
      clean = await this._clean!.check(
        request,
        outcome.best!.candidate,
        cells,
        signal
      );
    } catch (error) {
      signal.throwIfAborted();
      // The pass still holds: without a second kernel it is only not repeated.
      progress.warn(`  Not repeated in a fresh kernel: ${messageOf(error)}`);
      return result;
    }
    progress.status('');
    if (clean === null) {
      return result;
    }
    this._report(session, {
      type: 'fresh-kernel',
      attempt: outcome.best!.attempt,
      result: clean
    });
    const { passed, message } = clean;
    return passed
      ? { ...result, clean }
      : { ...result, clean, status: 'failed', accepted: null, message };
  }

  /** Drafted assertions that were used go into the notebook, below their target. */
  private _keepDrafts(
    target: Target,
    { request, state }: FinishedSession
  ): void {
    const [drafted] = request.assertions;
    if (state.drafts && drafted) {
      this._drafted.push({
        target: target.cellId,
        source: drafted.source,
        approved: !drafted.unverified
      });
    }
  }

  /** What holds by its drafts alone is written, labelled, and not run for real. */
  private _keep(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TargetResult {
    const { request, outcome } = session;
    this._reportAcceptance(session, 'inserted');
    this._notebook = applyOutcome(this._notebook, [
      {
        cellId: target.cellId,
        source: acceptedSource(request, outcome.best!.candidate),
        outputs: [],
        executionCount: null
      }
    ]);
    return { ...result, accepted: 'inserted' };
  }

  private async _accept(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, outcome, state } = session;
    const { candidate } = outcome.best!;
    const { questions, signal, progress } = this._ports;
    progress.status('running the accepted cell');
    const acceptance = await accept({
      request,
      candidate,
      execution: bestAttempt(state, outcome)?.execution ?? null,
      kernel: this._kernel!,
      questions,
      signal
    });
    if (acceptance.accepted === 'ran') {
      acceptance.edits.forEach(edit => this._above!.markRun(edit.cellId));
    } else if (acceptance.mayRunLater) {
      this._above!.tolerate(target.cellId);
    } else {
      this._above!.leaveOut(target.cellId);
    }
    this._reportAcceptance(
      session,
      acceptance.failure === null ? acceptance.accepted : 'failed'
    );
    if (acceptance.failure !== null) {
      return { ...result, status: 'failed', message: acceptance.failure };
    }
    if (acceptance.notRun !== null) {
      progress.warn(`  Not run: ${acceptance.notRun}`);
    }
    if (acceptance.warning !== null) {
      progress.warn(`  ${acceptance.warning}`);
      this._silent = true;
    }
    this._notebook = applyOutcome(
      this._notebook,
      // Drafts are in no cell yet.
      acceptance.edits.filter(({ cellId }) => cellId !== DRAFTED_CELL)
    );
    this._record(target, session, outcome.best!, result.clean?.passed);
    return { ...result, accepted: acceptance.accepted };
  }

  /** What follows a session goes into its event file, too. */
  private _report({ request }: FinishedSession, body: EventBody): void {
    this._ports.events.write({
      ...body,
      at: systemClock.now(),
      session: request.session
    } as RefineEvent);
  }

  private _reportAcceptance(
    session: FinishedSession,
    status: AcceptanceStatus
  ): void {
    const { attempt } = session.outcome.best!;
    this._report(session, { type: 'acceptance', attempt, status });
  }

  /** The cell remembers what wrote it. */
  private _record(
    target: Target,
    { request, outcome, state }: FinishedSession,
    accepted: BestAttempt,
    clean?: boolean
  ): void {
    const result = provenance({
      request,
      outcome,
      accepted,
      isolation: state.isolation!,
      model: state.model,
      version: this._ports.version,
      now: systemClock.now(),
      confirmed: outcome.confirmed,
      clean
    });
    this._notebook = applyOutcome(this._notebook, [
      {
        cellId: target.cellId,
        refine: { result, ...this._fingerprint(target) }
      }
    ]);
  }

  /** So that JupyterLab does not refine a `%%refine` cell again that was refined here. */
  private _fingerprint(target: Target): object {
    const cells = cellsFromNotebook(this._notebook);
    const { source } = cellAt(cells, target.index);
    const plan = planTarget(cells, { ...target, source }, this._language);
    return plan.promptOrigin === 'magic'
      ? { fingerprint: fingerprint(plan) }
      : {};
  }

  private _notebook: NotebookContent;
  private readonly _cellIds: readonly string[];
  private _kernel: LiveKernel | null = null;
  private _executor: KernelExecutor | null = null;
  /** For attempts that cannot run in a fork; the executor may have ended them before. */
  private readonly _second: LiveKernel[] = [];
  private _above: CellsAbove | null = null;
  private _clean: CleanKernel | null = null;
  /** An accepted cell left a kernel that takes no request any more. */
  private _silent = false;
  private _language = 'python';
  private _chosen: ChosenTargets = { targets: [], notes: [] };
  /** Put in at the end: positions of cells hold until then. */
  private readonly _drafted: {
    readonly target: string;
    readonly source: string;
    readonly approved: boolean;
  }[] = [];
  private readonly _results: TargetResult[] = [];
}

function kernelName(notebook: NotebookContent): string | null {
  const spec = notebook.metadata['kernelspec'];
  const name =
    typeof spec === 'object' && spec !== null
      ? (spec as Readonly<Record<string, unknown>>)['name']
      : null;
  return typeof name === 'string' && name ? name : null;
}

/** The notebook's folder as the server names it, so that its relative paths work; null on a given server. */
function folderOnServer(root: string | null, path: string): string | null {
  return root === null
    ? null
    : relative(root, dirname(resolve(path)))
        .split(sep)
        .join('/');
}

function messageOf(error: unknown): string {
  if (error instanceof RefineError && error.code === 'kernel-refused') {
    return `${error.message} Run again with --isolation live to allow it.`;
  }
  return error instanceof Error ? error.message : String(error);
}
