/** One notebook: the place where it runs, each target in order, and what is written. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Isolation } from '../../core/domain/execution';
import type { IExecutor } from '../../core/domain/executor';
import type { RefineRequest, Target } from '../../core/domain/request';
import { fold, initialState } from '../../core/events/fold';
import { check, refine } from '../../core/loop';
import {
  buildRequest,
  cellsFromNotebook,
  namesToInspect,
  plannedChecks,
  planTarget,
  resolveOptions,
  type MasterNote,
  type NotebookCell,
  type NotebookContent
} from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
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
  /** With what was accepted; null where nothing can be. */
  readonly notebook: NotebookContent | null;
};

export type GivenNotebook = {
  readonly notebook: NotebookContent;
  /** Ids of the cells to refine, or that belong to one; empty: every target. */
  readonly cellIds: readonly string[];
  /** Where its tests are not those of its master. */
  readonly notes: readonly MasterNote[] | undefined;
  /** Where the result goes; null: nowhere. */
  readonly output: NotebookOutput | null;
};

/** Never rejects: what goes wrong with one notebook is its own result. */
export async function runNotebook(
  command: NotebookCommand,
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
    return { path, notebook: null, targets: [], problem };
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
    private readonly _command: NotebookCommand,
    private readonly _path: string,
    given: GivenNotebook,
    private readonly _ports: NotebookPorts,
    private readonly _place: IPlace
  ) {
    this._given = cellsFromNotebook(given.notebook);
    this._edits =
      _place instanceof KernelHost
        ? new NotebookEdits(given.notebook, _place, _ports)
        : null;
    this._cellIds = given.cellIds;
  }

  async targets(): Promise<void> {
    // Nothing is isolated for a notebook that has nothing to refine.
    const { targets, notes } = chooseTargets(
      this._path,
      this._cells,
      this._place.language,
      this._cellIds,
      this._ports.policy
    );
    if (this._command.prompt !== null && targets.length > 1) {
      throw new RefineError(
        'input',
        `--prompt is the task of one target, but ${this._path} has ${targets.length}. Choose one with --cell.`
      );
    }
    this._targets = targets;
    this._executor = await this._place.executor();
    const isolation = await this._executor.prepare(this._ports.signal);
    requireClosedFiles(isolation, this._command);
    notes.forEach(note => this._ports.progress.warn(note));
    for (const target of targets) {
      this._ports.signal.throwIfAborted();
      const ended = await this._target(target);
      // Why the kernel of a given server cannot go on.
      const { lost } = this._place;
      const isLost = lost && ended.outcome?.stopReason === 'kernel-died';
      const done = isLost ? { ...ended, message: lost.message } : ended;
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
      notebook: this._edits?.notebook ?? null,
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
    const problem = problemOf(this._place.lost ?? error);
    return new NotebookEnd(problem.status, problem.message, problem);
  }

  async end(): Promise<void> {
    await this._edits?.end();
    await this._place.end();
  }

  private async _target(target: Target): Promise<TargetResult> {
    const cells = this._cells;
    const [session, ran] = await this._ran(target, cells);
    const tests =
      this._command.command === 'run' || session.request.scorer
        ? []
        : await this._place.tests(target, session, ran, cells);
    const result = { ...ran, tests };
    return this._edits?.finish(target, session, result) ?? result;
  }

  /** The session of a target, below cells that ran, and what it gave. */
  private async _ran(
    target: Target,
    cells: readonly NotebookCell[]
  ): Promise<readonly [FinishedSession, TargetResult]> {
    for (;;) {
      await this._place.runAbove(target, cells);
      const session = await this._session(target, cells);
      const result = this._place.resultOf(target, session);
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
      signal: this._ports.signal
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
    const { _path: path } = this;
    const { progress, signal } = this._ports;
    const { language, settings } = this._place;
    const executor = this._executor!;
    const plan = planTarget(cells, target, language, {
      panelPrompt: this._command.prompt ?? ''
    });
    if (this._command.prompt !== null && plan.promptOrigin === 'magic') {
      throw new RefineError(
        'input',
        `${path} ${cellLabel(target)} has its task in a %%refine cell. Change it there, or leave out --prompt.`
      );
    }
    const { options, warnings } = resolveOptions(settings, plan.cellOptions);
    await executor.prepare(signal);
    const { contextValues } = options;
    const names = namesToInspect(plan, cells, language);
    const variables =
      contextValues === 'none'
        ? []
        : await executor.inspect(names, contextValues, signal);
    const session = randomUUID();
    const more = { settings, variables, session, path, language };
    const request = buildRequest({ cells, plan, ...more });
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
      : [...results, ...strayTests(this._cells, results, _place.language)];
  }

  /** Rows for the targets that a check did not come to. */
  private _notReached(end: NotebookEnd | null): readonly TargetResult[] {
    const cells = this._cells;
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

  private get _cells(): readonly NotebookCell[] {
    return this._edits?.cells ?? this._given;
  }

  /** Null in a warm process, which no cell is written for. */
  private readonly _edits: NotebookEdits | null;
  private readonly _given: readonly NotebookCell[];
  private readonly _cellIds: readonly string[];
  private _executor: IExecutor | null = null;
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
  command: NotebookCommand
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
