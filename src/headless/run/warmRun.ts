/**
 * Checks one notebook in a warm process: each target with its cells above, in a fork that runs
 * all of them, so that nothing of the notebook runs anywhere else.
 */
import { dirname, resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { ExecutionError } from '../../core/domain/execution';
import type { Target } from '../../core/domain/request';
import {
  cellAt,
  cellsAbove,
  cellsFromNotebook,
  markedRole,
  nbgraderMetadata,
  type CellAbove,
  type NotebookCell
} from '../../notebook';
import type { CheckCommand } from '../cli/commands';
import {
  cellLabel,
  problemOf,
  type Status,
  type TargetResult
} from '../report/results';
import { errorText, oneLine, printable } from '../report/text';
import { WarmExecutor } from '../warm/warmExecutor';
import type { WarmProcess } from '../warm/warmProcess';
import { filesOfChecks } from '../files/notebookOutput';
import { allowWrites } from './isolation';
import type {
  GivenNotebook,
  NotebookPorts,
  NotebookRunResult
} from './notebookRun';
import { chooseTargets } from './target/targetChoice';
import { resultOf, runTarget, type FinishedSession } from './target/targetRun';
import {
  plannedTests,
  skippedTarget,
  strayTests,
  testResults
} from './testCells';

export type WarmPorts = Omit<
  NotebookPorts,
  'kernel' | 'models' | 'version' | 'keyVariables'
>;

const LANGUAGE = 'python';
/** So that the session does not end before the limit of the cells above reports which one it was. */
const MARGIN_SECONDS = 60;

/** Never rejects: what goes wrong with one notebook is its own result. */
export async function checkInWarm(
  command: CheckCommand,
  path: string,
  given: GivenNotebook,
  warm: WarmProcess,
  ports: WarmPorts
): Promise<NotebookRunResult> {
  const cells = cellsFromNotebook(given.notebook);
  const results: TargetResult[] = [];
  const limit = AbortSignal.timeout(command.notebookTimeout * 1000);
  const run = new WarmRun(command, path, cells, warm, ports, limit);
  let problem: NotebookRunResult['problem'] = null;
  let strays: readonly TargetResult[] = [];
  try {
    const chosen = chooseTargets(
      path,
      cells,
      LANGUAGE,
      given.cellIds,
      ports.policy
    );
    chosen.notes.forEach(note => ports.progress.warn(note));
    await run.open(importsOf(cells));
    for (const target of chosen.targets) {
      if (ports.signal.aborted) {
        break;
      }
      if (!run.end && limit.aborted) {
        run.endAtLimit();
      }
      results.push(
        run.end ? run.skipped(target, run.end) : await run.target(target)
      );
    }
    problem = run.end?.problem ?? null;
    if (given.cellIds.length === 0 && !ports.signal.aborted) {
      strays = strayTests(cells, results, LANGUAGE);
    }
  } catch (error) {
    problem = problemOf(error);
  } finally {
    await warm.close();
  }
  return {
    path,
    notebook: given.notebook,
    targets: [...results, ...strays],
    problem: ports.signal.aborted
      ? { status: 'interrupted', message: 'stopped' }
      : problem
  };
}

/** Why no further target of a notebook is checked. */
type End = {
  readonly status: Status;
  /** A clause. */
  readonly message: string;
  /** Of the notebook as a whole, where it is more than that of its targets. */
  readonly problem?: NotebookRunResult['problem'];
};

class WarmRun {
  constructor(
    private readonly _command: CheckCommand,
    private readonly _path: string,
    private readonly _cells: readonly NotebookCell[],
    private readonly _warm: WarmProcess,
    ports: WarmPorts,
    private readonly _limit: AbortSignal
  ) {
    this._ports = {
      ...ports,
      signal: AbortSignal.any([ports.signal, _limit])
    };
    this._stop = ports.signal;
    const { tests, options } = _command;
    this._executor = new WarmExecutor(
      _warm,
      options.sessionTimeout,
      filesOfChecks(_command, _path),
      dirname(resolve(tests ?? _path))
    );
  }

  end: End | null = null;

  /** @param why - what took the time, as a clause. */
  endAtLimit(why = ''): void {
    const message = `the notebook ran longer than ${this._command.notebookTimeout} s (--notebook-timeout)${why}`;
    this.end = { status: 'failed', message };
  }

  async open(imports: readonly string[]): Promise<void> {
    await this._warm.open(dirname(resolve(this._path)), imports);
    const isolation = await this._executor.prepare();
    await allowWrites(isolation, this._command.options, {
      ...this._ports,
      isOwnCode: this._command.tests === null
    });
  }

  /** Check one target; cells that ran into a limit are left out, and what is left is tried again. */
  async target(target: Target): Promise<TargetResult> {
    try {
      for (;;) {
        await this._addAbove(target);
        const session = await this._run(target);
        const result = this._resultOf(target, session);
        if (result !== null) {
          return await this._withTests(target, session, result);
        }
      }
    } catch (error) {
      if (!(error instanceof RefineError)) {
        throw error;
      }
      const problem = problemOf(error);
      this.end = { status: problem.status, message: problem.message, problem };
      return this.skipped(target, this.end);
    }
  }

  skipped(target: Target, end: End): TargetResult {
    return skippedTarget(this._cells, target, LANGUAGE, end);
  }

  /** As nbgrader, which goes on after a cell that raised: its tests are run with what it has defined. */
  private async _withTests(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { last } = this._executor;
    if (result.reason?.kind === 'not-checked' || last === null) {
      return { ...result, tests: plannedTests(this._cells, target, LANGUAGE) };
    }
    const { signal } = this._ports;
    const { execution, stage } = last;
    const request = { ...session.request, path: resolve(this._path) };
    const isGraded = request.assertions.some(
      ({ index }) =>
        nbgraderMetadata(cellAt(this._cells, index))['points'] !== undefined
    );
    const goesOn =
      isGraded &&
      execution.status === 'error' &&
      stage === 'ended' &&
      result.reason?.kind !== 'syntax';
    if (goesOn) {
      const { cellId: id, index, source } = target;
      this._tolerated.add(id);
      this._added = index + 1;
      const above = { id, index, source, tolerated: true };
      await this._executor.addAbove([above], []);
    }
    const tests = await testResults(
      this._cells,
      request,
      execution,
      this._executor,
      signal,
      goesOn
    );
    return { ...result, tests };
  }

  private async _addAbove(target: Target): Promise<void> {
    this._above ??= cellsAbove(this._cells, this._cells.length, LANGUAGE);
    const end = this._above.findIndex(({ index }) => index >= target.index);
    const fresh = this._above
      .slice(this._given, end < 0 ? undefined : end)
      .filter(({ index }) => index >= this._added);
    this._given = end < 0 ? this._above.length : end;
    this._added = target.index;
    await this._executor.addAbove(
      // As nbgrader: what raises ends nothing, since a student's scratch cell may.
      fresh.map(({ id, index, source }) => ({
        id,
        index,
        source,
        tolerated: true
      })),
      this._leftOut.splice(0)
    );
    fresh.forEach(({ id, mayFail }) => {
      if (mayFail || this._targets.has(id)) {
        this._tolerated.add(id);
      }
    });
    this._targets.add(target.cellId);
  }

  private _run(target: Target): Promise<FinishedSession> {
    const { options } = this._command;
    const { progress, events, questions, signal } = this._ports;
    this._executor.last = null;
    return runTarget({
      path: this._path,
      cells: this._cells,
      target,
      language: LANGUAGE,
      settings: {
        ...options,
        sessionTimeout:
          options.sessionTimeout + 2 * options.attemptTimeout + MARGIN_SECONDS
      },
      prompt: null,
      executor: this._executor,
      models: null,
      progress,
      events,
      questions,
      signal
    });
  }

  /** Null: the target is to be tried again, without a cell above it. */
  private _resultOf(
    target: Target,
    session: FinishedSession
  ): TargetResult | null {
    const result = resultOf(target, session);
    const { last } = this._executor;
    if (last === null) {
      return this._isOutOfTime(result) ? this._outOfTime(target) : result;
    }
    const { progress } = this._ports;
    for (const { cellId, error } of last.above.errors) {
      const what = `${this._label(cellId)}: ${errorText(error)}`;
      progress.note(`  ${this._path} ${what}`);
      if (!this._tolerated.has(cellId)) {
        this._raised ??= { label: this._label(cellId), error };
      }
    }
    const { execution, above, stage } = last;
    if (this._isOutOfTime(result)) {
      return this._outOfTime(target);
    }
    if (above.cellId !== undefined && execution.stop !== 'stopped') {
      return this._stoppedAbove(target, above.cellId, last);
    }
    if (execution.stop !== undefined && stage === 'candidate') {
      this._leftOut.push(target.cellId);
    } else if (execution.stop !== undefined && stage === 'checks') {
      const checks = session.request.assertions.filter(
        ({ index, statements }) =>
          statements > 0 || markedRole(cellAt(this._cells, index)) !== null
      );
      this._leftOut.push(...checks.map(({ cellId }) => cellId));
    }
    return this._withRaised(result);
  }

  /** The reason of a target names the first set-up cell that raised: it may be for want of what that one makes. */
  private _withRaised(result: TargetResult): TargetResult {
    if (result.reason === null || this._raised === null) {
      return result;
    }
    const { label, error } = this._raised;
    const message = `${result.reason.message}; ${label} above failed: ${oneLine(errorText(error), 200)}`;
    return { ...result, reason: { ...result.reason, message } };
  }

  private _isOutOfTime({ status }: TargetResult): boolean {
    return (
      status === 'interrupted' && this._limit.aborted && !this._stop.aborted
    );
  }

  private _outOfTime(target: Target): TargetResult {
    const { cellId, seconds } = this._executor.last?.above ?? {};
    const time = seconds === undefined ? '' : ` after ${seconds} s`;
    this.endAtLimit(
      cellId === undefined
        ? ''
        : `; ${this._label(cellId)} above was still running${time}`
    );
    return this.skipped(target, this.end!);
  }

  private _stoppedAbove(
    target: Target,
    cellId: string,
    { execution }: NonNullable<WarmExecutor['last']>
  ): TargetResult | null {
    const label = this._label(cellId);
    if (this._tolerated.has(cellId)) {
      const why = printable(execution.stopMessage ?? '');
      this._ports.progress.note(`  ${this._path} ${label} left out: ${why}`);
      this._leftOut.push(cellId);
      return null;
    }
    const isLong = execution.stop === 'timeout';
    const clause = isLong
      ? `ran longer than ${this._command.options.sessionTimeout} s (--session-timeout).`
      : `failed: ${printable(execution.stopMessage ?? '')}`;
    const message = `${this._path} ${label}, above the target, ${clause}`;
    // A crash is the notebook's own; what never ends is bad input.
    const status = isLong ? 'input' : 'failed';
    this.end = {
      status,
      message: `${label} above ${clause}`,
      problem: { status, message }
    };
    return this.skipped(target, this.end);
  }

  private _label(cellId: string): string {
    const index = this._cells.findIndex(({ id }) => id === cellId);
    return cellLabel({ index, cellId });
  }

  /** Their signal ends the notebook: the user stopped it, or it reached the limit. */
  private readonly _ports: WarmPorts;
  /** The user's signal alone. */
  private readonly _stop: AbortSignal;
  private readonly _executor: WarmExecutor;
  /** The first cell that raised and is no target, check or tagged `raises-exception`. */
  private _raised: {
    readonly label: string;
    readonly error: ExecutionError;
  } | null = null;
  private _above: readonly CellAbove[] | null = null;
  /** So many of these were given to the process, or are its targets. */
  private _given = 0;
  /** Cells before this position were added. */
  private _added = 0;
  private readonly _targets = new Set<string>();
  private readonly _tolerated = new Set<string>();
  /** Ids that the process does not know of yet. */
  private readonly _leftOut: string[] = [];
}

/** First names of the modules that the cells seem to import. */
function importsOf(cells: readonly NotebookCell[]): readonly string[] {
  const found = cells
    .filter(({ type }) => type === 'code')
    .flatMap(({ source }) => [
      ...source.matchAll(/^\s*(?:import|from|%)\s*(\w+)/gm)
    ]);
  return [...new Set(found.map(([, name]) => name ?? ''))];
}
