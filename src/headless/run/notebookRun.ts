/** One notebook: the place where it runs, each target in order, and what is written. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Isolation } from '../../core/domain/execution';
import type { CleanResult } from '../../core/domain/outcome';
import type { IExecutor } from '../../core/domain/executor';
import type { RefineRequest, Target } from '../../core/domain/request';
import { fold, initialState } from '../../core/events/fold';
import { check, refine } from '../../core/loop';
import { english } from '../../core/text/english';
import { FreshKernel } from '../../kernel';
import {
  buildRequest,
  namesToInspect,
  plannedChecks,
  planTarget,
  resolveOptions,
  type MasterNote,
  type NotebookCell,
  type NotebookContent
} from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import type { NotebookOutput } from '../files/notebookFile';
import { KernelHost } from './kernelHost';
import {
  NotebookEnd,
  type IPlace,
  type NotebookPorts,
  type FinishedSession
} from './place';
import {
  cellLabel,
  problemOf,
  type NotebookResult,
  type TargetResult
} from '../report/results';
import { chooseTargets } from './target/targetChoice';
import { notReached, plannedTests, strayTests } from './testCells';
import { planText } from './target/targetResult';
import { NotebookEdits } from './target/acceptance';

type NotebookRunResult = Omit<NotebookResult, 'written'> & {
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
  ports: NotebookPorts,
  openPlace: () => Promise<IPlace>
): Promise<NotebookRunResult> {
  let place: IPlace;
  try {
    place = await openPlace();
  } catch (error) {
    const problem = ports.signal.aborted ? STOPPED : problemOf(error);
    return { path, notebook: given.notebook, targets: [], problem };
  }
  const run = new NotebookRun(command, path, given, ports, place);
  try {
    await run.targets();
    return run.result(null);
  } catch (error) {
    return run.result(error);
  } finally {
    await run.end();
  }
}

const STOPPED = { status: 'interrupted', message: 'stopped' } as const;

class NotebookRun {
  constructor(
    private readonly _command: RunCommand | CheckCommand,
    private readonly _path: string,
    given: GivenNotebook,
    private readonly _ports: NotebookPorts,
    private readonly _place: IPlace
  ) {
    this._edits = new NotebookEdits(given.notebook, _place.language, _ports);
    this._cellIds = given.cellIds;
    this._signal = _ports.signal;
    if (_command.command === 'check') {
      this._limit = AbortSignal.timeout(_command.notebookTimeout * 1000);
      this._signal = AbortSignal.any([this._signal, this._limit]);
    } else {
      this._prompt = _command.prompt;
    }
    if (_place instanceof KernelHost) {
      this._kernel = _place;
      this._fresh = new FreshKernel({
        start: () => _place.fresh(),
        keyVariables: _ports.keyVariables
      });
    }
  }

  async targets(): Promise<void> {
    // Nothing is isolated for a notebook that has nothing to refine.
    const { targets, notes } = chooseTargets(
      this._path,
      this._edits.cells,
      this._place.language,
      this._cellIds,
      this._ports.policy
    );
    if (this._prompt !== null && targets.length > 1) {
      throw new RefineError(
        'input',
        `--prompt is the task of one target, but ${this._path} has ${targets.length}. Choose one with --cell.`
      );
    }
    this._targets = targets;
    this._executor = await this._place.executor();
    const isolation = await this._executor.prepare(this._signal);
    requireClosedFiles(isolation, this._command);
    notes.forEach(note => this._ports.progress.warn(note));
    for (const target of targets) {
      this._signal.throwIfAborted();
      const done = await this._targetOrLost(target);
      this._results.push(done);
      if (done.status === 'error') {
        throw new NotebookEnd('error', done.message);
      }
      if (done.status === 'interrupted') {
        return;
      }
    }
  }

  result(error: unknown): NotebookRunResult {
    const end = error === null ? null : this._endOf(error);
    return {
      path: this._path,
      notebook: this._edits.notebook,
      targets: this._withStrays([...this._results, ...this._notReached(end)]),
      problem: end?.problem ?? null
    };
  }

  private _endOf(error: unknown): NotebookEnd {
    if (this._ports.signal.aborted) {
      return new NotebookEnd('interrupted', STOPPED.message, STOPPED);
    }
    if (error instanceof NotebookEnd) {
      return error;
    }
    if (this._command.command === 'check' && this._limit?.aborted) {
      const { running } = this._place;
      return new NotebookEnd(
        'failed',
        `the notebook ran longer than ${this._command.notebookTimeout} s (--notebook-timeout)${running ? `; ${running}` : ''}`
      );
    }
    const problem = problemOf(error);
    return new NotebookEnd(problem.status, problem.message, problem);
  }

  async end(): Promise<void> {
    await this._fresh?.end();
    await this._place.end();
  }

  /** With the reason why the kernel of a given server cannot go on, where that ended the target. */
  private async _targetOrLost(target: Target): Promise<TargetResult> {
    try {
      const done = await this._target(target);
      const lost = this._place.lost;
      return lost && done.outcome?.stopReason === 'kernel-died'
        ? { ...done, message: lost.message }
        : done;
    } catch (error) {
      throw this._place.lost ?? error;
    }
  }

  private async _target(target: Target): Promise<TargetResult> {
    const cells = this._edits.cells;
    const [session, ran] = await this._ran(target, cells);
    const result = {
      ...(await this._confirmed(cells, session, ran)),
      tests:
        this._command.command === 'run' || session.request.scorer
          ? []
          : await this._place.tests(target, session, ran, this._signal, cells)
    };
    const { outcome } = session;
    if (result.status === 'passed' && outcome.best!.attempt > 0) {
      return this._edits.accept(this._kernel!, target, session, result);
    }
    if (this._kernel && result.accepted === 'unchanged') {
      this._edits.reportAcceptance(session, 'unchanged');
    }
    this._kernel?.tolerate(target.cellId);
    return this._kernel
      ? this._edits.keepBest(this._kernel, target, session, result)
      : result;
  }

  /** The session of a target, below cells that ran, and what it gave. */
  private async _ran(
    target: Target,
    cells: readonly NotebookCell[]
  ): Promise<readonly [FinishedSession, TargetResult]> {
    const { signal } = this._ports;
    const place = this._place;
    for (;;) {
      await place.runAbove(target, cells, this._signal);
      const session = await this._session(target, cells);
      if (session.outcome.stopReason === 'stopped' && !signal.aborted) {
        this._limit?.throwIfAborted();
      }
      const result = place.resultOf(target, session);
      if (result !== null) {
        return [session, result];
      }
    }
  }

  /** Plan the target, ask the kernel about the variables it names, and drive the session. */
  private async _session(
    target: Target,
    cells: readonly NotebookCell[]
  ): Promise<FinishedSession> {
    const { models, onEvent, progress } = this._ports;
    const request = await this._request(target, cells);
    // Nobody is asked: a target that passes is done, and what asks for a human is an error.
    const run = {
      executor: this._executor!,
      clock: systemClock,
      signal: this._signal
    };
    const stream =
      models === null
        ? check(request, run)
        : refine(request, {
            ...run,
            generator: models.generator,
            evaluatorModel: models.evaluator
          });
    let state = initialState(request.session);
    for (;;) {
      const { done, value } = await stream.next();
      if (done) {
        return { request: state.request ?? request, state, outcome: value };
      }
      state = fold(state, value);
      onEvent(value);
      progress.event(value, state);
    }
  }

  private async _request(
    target: Target,
    cells: readonly NotebookCell[]
  ): Promise<RefineRequest> {
    const { _path: path, _prompt: prompt, _signal: signal } = this;
    const { progress } = this._ports;
    const { language, settings } = this._place;
    const executor = this._executor!;
    const plan = planTarget(cells, target, language, {
      panelPrompt: prompt ?? ''
    });
    if (prompt !== null && plan.promptOrigin === 'magic') {
      throw new RefineError(
        'input',
        `${path} ${cellLabel(target)} has its task in a %%refine cell. Change it there, or leave out --prompt.`
      );
    }
    const { options, warnings } = resolveOptions(settings, plan.cellOptions);
    await executor.prepare(signal);
    const { contextValues } = options;
    const variables =
      contextValues === 'none'
        ? []
        : await executor.inspect(
            namesToInspect(plan, cells, language),
            contextValues,
            signal
          );
    const request = buildRequest({
      cells,
      plan,
      settings,
      variables,
      session: randomUUID(),
      path,
      language
    });
    progress.title(`${path} ${cellLabel(target)}: ${planText(request)}`);
    const idle = plannedChecks(cells, plan, language)
      .filter(({ checksNothing }) => checksNothing)
      .map(
        cell => `${cellLabel(cell)} is tagged as a check, but checks nothing.`
      );
    [...warnings, ...idle, ...(request.context.notes ?? [])].forEach(warning =>
      progress.warn(`  ${warning}`)
    );
    return request;
  }

  /** With rows for tests that no target has. */
  private _withStrays(
    results: readonly TargetResult[]
  ): readonly TargetResult[] {
    const { _command, _cellIds, _place, _ports } = this;
    return _command.command === 'run' ||
      _cellIds.length > 0 ||
      results.length === 0 ||
      _ports.signal.aborted
      ? results
      : [
          ...results,
          ...strayTests(this._edits.cells, results, _place.language)
        ];
  }

  /** Rows for the targets that a check did not come to. */
  private _notReached(end: NotebookEnd | null): readonly TargetResult[] {
    const cells = this._edits.cells;
    return this._command.command === 'run' ||
      end === null ||
      end.status === 'interrupted'
      ? []
      : this._targets
          .slice(this._results.length)
          .map(target =>
            notReached(
              target,
              end,
              plannedTests(cells, target, this._place.language)
            )
          );
  }

  /** A pass that is repeated in a fresh kernel, where the settings say so. */
  private async _confirmed(
    cells: readonly NotebookCell[],
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, outcome } = session;
    const { progress } = this._ports;
    const signal = this._signal;
    if (!outcome.passed || !request.options.confirmClean) {
      return result;
    }
    progress.status('starting a fresh kernel');
    let clean: CleanResult | null;
    try {
      clean = await this._fresh!.check(
        {
          request,
          candidate: outcome.best!.candidate,
          cells: this._kernel!.cellsToRepeat(request.target, cells),
          trans: english,
          onPlan: text => progress.note(`  ${text}`),
          onCell: label => progress.status(`running ${label} in a fresh kernel`)
        },
        signal
      );
    } catch (error) {
      if (this._command.command === 'check') {
        signal.throwIfAborted();
      }
      // The pass still holds, and was paid for: it is only not repeated.
      const why = signal.aborted ? 'stopped.' : problemOf(error).message;
      progress.warn(`  Not repeated in a fresh kernel: ${why}`);
      return result;
    }
    progress.status('');
    if (clean === null) {
      return result;
    }
    this._edits.report(session, {
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
  /** Of a check: the time of the notebook. */
  private readonly _limit: AbortSignal | null = null;
  /** The user's, and the limit. */
  private readonly _signal: AbortSignal;
  /** The place, where it is a kernel. */
  private readonly _kernel: KernelHost | null = null;
  private _executor: IExecutor | null = null;
  /** For repeats of a pass, one for all targets. */
  private readonly _fresh: FreshKernel | null = null;
  private readonly _prompt: string | null = null;
  private _targets: readonly Target[] = [];
  private readonly _results: TargetResult[] = [];
}

/**
 * A fork or a second kernel keeps the memory of the kernel, but where neither an overlay nor
 * Landlock works, what an attempt writes stays written.
 *
 * @throws RefineError kind `kernel` when that is not allowed.
 */
function requireClosedFiles(
  { mode, files, network, reasons }: Isolation,
  command: RunCommand | CheckCommand
): void {
  // With the tests of another notebook the code may be anybody's; without, a check runs what the user wrote.
  const isOwnCode = command.command === 'check' && command.tests === null;
  const isAllowed = isOwnCode || command.options.allowWrites;
  if (mode !== 'live' && files === 'open' && !isAllowed) {
    const what = network ? 'write files' : 'write files and reach the network';
    const warning = [`Attempts ${what} for real here.`, ...reasons].join(' ');
    throw new RefineError(
      'kernel',
      `Nothing was run: ${warning} Run again with --allow-writes to allow it.`
    );
  }
}
