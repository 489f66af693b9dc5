/** One notebook: where it runs, the cells above, each target in order, and what is written. */
import type { IDisposable } from '@lumino/disposable';
import { RefineError } from '../../core/errors';
import { type CleanResult } from '../../core/domain/outcome';
import type { IExecutor } from '../../core/domain/executor';
import type { Target } from '../../core/domain/request';
import {
  type MasterNote,
  type NotebookCell,
  type NotebookContent,
  type TargetPolicy
} from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import { CellsAbove } from './cellsAbove';
import { CleanKernel } from './cleanKernel';
import type { IEventSink } from '../files/eventFile';
import type { NotebookOutput } from '../files/notebookOutput';
import type { KernelHost } from './kernelHost';
import type { ChosenModels } from '../server/modelChoice';
import type { Progress } from '../report/progress';
import type { IQuestions } from '../cli/questions';
import {
  statusOfError,
  type NotebookResult,
  type TargetResult
} from '../report/results';
import { NotebookEdits } from './notebookEdits';
import { chooseTargets, type ChosenTargets } from './target/targetChoice';
import {
  plannedTests,
  skippedTarget,
  strayTests,
  testResults
} from './testCells';
import {
  bestAttempt,
  resultOf,
  runTarget,
  type FinishedSession
} from './target/targetRun';
import { CellWriting } from './target/cellWriting';

export type NotebookPorts = {
  /** Starts one on the Jupyter server. */
  readonly kernel: () => Promise<KernelHost>;
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
  /** Where its tests are not those of its master. */
  readonly notes?: readonly MasterNote[];
  /** Where the result goes; null or none: nowhere. */
  readonly output?: NotebookOutput | null;
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
    this._edits = new NotebookEdits(given.notebook, _ports.version);
    this._cellIds = given.cellIds;
  }

  /** Start the kernel and probe how attempts can be isolated in it. */
  async start(): Promise<void> {
    this._open(await this._ports.kernel());
    // Nobody is asked about isolation for a notebook that has nothing to refine.
    this._chosen = chooseTargets(
      this._path,
      this._edits.cells,
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
    this._executor = await this._host!.executor();
  }

  private _open(host: KernelHost): void {
    const { _path: path, _ports: ports } = this;
    const { progress, keyVariables } = ports;
    this._host = host;
    const { language } = host;
    this._edits.language = language;
    this._above = new CellsAbove(
      {
        path,
        language,
        kernel: host,
        seconds: this._command.options.sessionTimeout,
        tolerant: this._command.command === 'check',
        onCell: label => progress.status(`running ${label}`),
        onTolerated: message => progress.note(`  ${message}`)
      },
      this._above
    );
    this._clean = new CleanKernel({
      path,
      language,
      above: this._above,
      start: () => host.fresh(),
      keyVariables,
      onPlan: text => progress.note(`  ${text}`),
      onWaiting: text => progress.status(text)
    });
    this._writing = new CellWriting({
      edits: this._edits,
      above: this._above,
      kernel: host,
      progress,
      events: ports.events,
      questions: ports.questions,
      signal: ports.signal
    });
  }

  private async _moveToNewKernel(): Promise<void> {
    await this.end();
    this._open(await this._ports.kernel());
    this._executor = await this._host!.executor();
  }

  private get _language(): string {
    return this._host?.language ?? 'python';
  }

  private get _prompt(): string | null {
    return this._command.command === 'run' ? this._command.prompt : null;
  }

  async targets(): Promise<void> {
    const { targets, notes } = this._chosen;
    notes.forEach(note => this._ports.progress.warn(note));
    for (const target of targets) {
      this._ports.signal.throwIfAborted();
      const done = await this._targetAgainIfLost(target);
      this._results.push(done);
      if (done.status === 'interrupted' || done.status === 'error') {
        return;
      }
    }
  }

  result(error: unknown): NotebookRunResult {
    const { signal } = this._ports;
    const interrupted = signal.aborted && error !== null;
    const problem = interrupted
      ? { status: 'interrupted' as const, message: 'stopped' }
      : error === null
        ? null
        : { status: statusOfError(error), message: messageOf(error) };
    return {
      path: this._path,
      notebook: this._edits.notebook,
      targets: this._withStrays([
        ...this._results,
        ...this._notReached(problem)
      ]),
      problem
    };
  }

  async end(): Promise<void> {
    this._executor?.dispose();
    await this._clean?.end();
    await this._host?.end();
  }

  /** A kernel of a given server that dies was perhaps evicted: a new one runs the target again, once. */
  private async _targetAgainIfLost(target: Target): Promise<TargetResult> {
    const done = await this._target(target).catch((error: unknown) => {
      if (!this._host?.lost) {
        throw error;
      }
      return null;
    });
    const lost = this._host?.lost;
    if (!lost || (done && done.outcome?.stopReason !== 'kernel-died')) {
      return done!;
    }
    if (lost.code === 'kernel-dead') {
      this._ports.progress.note(
        `  ${lost.message} A new kernel runs the cells above and the target again.`
      );
      await this._moveToNewKernel();
      return this._target(target);
    }
    if (done === null) {
      throw lost;
    }
    return { ...done, message: lost.message };
  }

  private async _target(target: Target): Promise<TargetResult> {
    const { models, progress, events, signal } = this._ports;
    const cells = this._edits.cells;
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
    const result = await this._withTests(
      cells,
      target,
      session,
      await this._confirmed(cells, session, resultOf(target, session))
    );
    const { outcome } = session;
    if (result.status === 'passed' && outcome.best!.attempt > 0) {
      return this._writing!.accept(target, session, result);
    }
    if (result.accepted === 'unchanged') {
      this._writing!.reportAcceptance(session, 'unchanged');
    }
    this._above!.tolerate(target.cellId);
    return this._writing!.keepBest(target, session, result);
  }

  /** What each check cell earned, for a check. */
  private async _withTests(
    cells: readonly NotebookCell[],
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, state, outcome } = session;
    const execution = bestAttempt(state, outcome)?.execution;
    if (this._command.command === 'run' || request.scorer) {
      return result;
    }
    const tests = execution
      ? await testResults(
          cells,
          request,
          execution,
          this._executor!,
          this._ports.signal
        )
      : plannedTests(cells, target, this._language);
    return { ...result, tests };
  }

  /** With rows for tests that no target has. */
  private _withStrays(
    results: readonly TargetResult[]
  ): readonly TargetResult[] {
    const { _command, _cellIds, _language, _ports } = this;
    return _command.command === 'run' ||
      _cellIds.length > 0 ||
      results.length === 0 ||
      _ports.signal.aborted
      ? results
      : [...results, ...strayTests(this._edits.cells, results, _language)];
  }

  /** Rows for the targets that a check did not come to. */
  private _notReached(
    problem: NotebookRunResult['problem']
  ): readonly TargetResult[] {
    const { targets } = this._chosen;
    const cells = this._edits.cells;
    return this._command.command === 'run' ||
      problem === null ||
      problem.status === 'interrupted'
      ? []
      : targets
          .slice(this._results.length)
          .map(target => skippedTarget(cells, target, this._language, problem));
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
      if (this._command.command === 'check') {
        signal.throwIfAborted();
      }
      // The pass still holds, and was paid for: it is only not repeated.
      const why = signal.aborted ? 'stopped.' : messageOf(error);
      progress.warn(`  Not repeated in a fresh kernel: ${why}`);
      return result;
    }
    progress.status('');
    if (clean === null) {
      return result;
    }
    this._writing!.report(session, {
      type: 'fresh-kernel',
      attempt: outcome.best!.attempt,
      result: clean
    });
    const { passed, message } = clean;
    return passed
      ? { ...result, clean }
      : { ...result, clean, status: 'failed', accepted: null, message };
  }

  private readonly _edits: NotebookEdits;
  private readonly _cellIds: readonly string[];
  private _host: KernelHost | null = null;
  private _executor: (IExecutor & IDisposable) | null = null;
  private _above: CellsAbove | null = null;
  private _clean: CleanKernel | null = null;
  private _writing: CellWriting | null = null;
  private _chosen: ChosenTargets = { targets: [], notes: [] };
  private readonly _results: TargetResult[] = [];
}

function messageOf(error: unknown): string {
  if (error instanceof RefineError && error.code === 'kernel-refused') {
    return `${error.message} Run again with --isolation live to allow it.`;
  }
  return error instanceof Error ? error.message : String(error);
}
