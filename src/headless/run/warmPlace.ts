/**
 * Where a check runs a notebook: a copy of a warm process. Each target runs with its cells above in a fork
 * of it, so that nothing of the notebook runs anywhere else.
 */
import { dirname, resolve } from 'node:path';
import type { ExecutionError } from '../../core/domain/execution';
import type { IExecutor } from '../../core/domain/executor';
import type { Target } from '../../core/domain/request';
import {
  cellAt,
  cellsAbove,
  markedRole,
  nbgraderMetadata,
  type CellAbove,
  type NotebookCell
} from '../../notebook';
import type { CheckCommand } from '../cli/commands';
import { filesOfChecks } from '../files/notebookOutput';
import { cellLabel, type TargetResult } from '../report/results';
import { errorText, oneLine, printable } from '../report/text';
import { WarmExecutor } from '../warm/warmExecutor';
import type { WarmProcess } from '../warm/warmProcess';
import { allowWrites } from './isolation';
import {
  NotebookEnd,
  type IPlace,
  type NotebookPorts,
  type FinishedSession
} from './place';
import { resultOf } from './target/targetRun';
import { plannedTests, testResults, type TestResults } from './testCells';

/** So that the session does not end before the limit of the cells above reports which one it was. */
const MARGIN_SECONDS = 60;

export class WarmPlace implements IPlace {
  constructor(
    private readonly _command: CheckCommand,
    private readonly _path: string,
    private readonly _cells: readonly NotebookCell[],
    private readonly _warm: WarmProcess,
    private readonly _ports: Pick<
      NotebookPorts,
      'progress' | 'questions' | 'signal'
    >
  ) {
    const { tests, options } = _command;
    this._executor = new WarmExecutor(
      _warm,
      options.sessionTimeout,
      filesOfChecks(_command, _path),
      dirname(resolve(tests ?? _path))
    );
    this.settings = {
      ...options,
      sessionTimeout:
        options.sessionTimeout + 2 * options.attemptTimeout + MARGIN_SECONDS
    };
  }

  readonly language = 'python';
  readonly lost = null;
  readonly settings: CheckCommand['options'];

  async executor(): Promise<IExecutor> {
    await this._warm.open(dirname(resolve(this._path)), importsOf(this._cells));
    const isolation = await this._executor.prepare();
    await allowWrites(isolation, this._command.options, {
      ...this._ports,
      isOwnCode: this._command.tests === null
    });
    return this._executor;
  }

  end(): Promise<void> {
    return this._warm.close();
  }

  get running(): string {
    const { cellId, seconds } = this._executor.last?.above ?? {};
    const time = seconds === undefined ? '' : ` after ${seconds} s`;
    return cellId === undefined
      ? ''
      : `${this._label(cellId)} above was still running${time}`;
  }

  async runAbove(target: Target): Promise<void> {
    this._executor.last = null;
    this._above ??= cellsAbove(this._cells, this._cells.length, this.language);
    const end = this._above.findIndex(({ index }) => index >= target.index);
    const fresh = this._above
      .slice(this._given, end < 0 ? undefined : end)
      .filter(({ index }) => index >= this._added);
    this._given = end < 0 ? this._above.length : end;
    this._added = target.index;
    await this._executor.addAbove(
      fresh.map(({ id, index, source }) => ({ id, index, source })),
      this._leftOut.splice(0)
    );
    fresh.forEach(({ id, mayFail }) => {
      if (mayFail || this._targets.has(id)) {
        this._tolerated.add(id);
      }
    });
    this._targets.add(target.cellId);
  }

  /** Cells that ran into a limit are left out, and what is left is tried again. */
  resultOf(target: Target, session: FinishedSession): TargetResult | null {
    const result = resultOf(target, session);
    const { last } = this._executor;
    if (last === null) {
      return result;
    }
    const { progress } = this._ports;
    // Each attempt runs all cells above, and reports each error again.
    const fresh = last.above.errors.filter(
      ({ cellId }) => !this._reported.has(cellId)
    );
    for (const { cellId, error } of fresh) {
      this._reported.add(cellId);
      const what = `${this._label(cellId)}: ${errorText(error)}`;
      progress.note(`  ${this._path} ${what}`);
      if (!this._tolerated.has(cellId)) {
        this._raised ??= { label: this._label(cellId), error };
      }
    }
    const { execution, above, stage } = last;
    if (above.cellId !== undefined && execution.stop !== 'stopped') {
      this._stoppedAbove(above.cellId, last);
      return null;
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

  /** As nbgrader, which goes on after a cell that raised: its tests are run with what it has defined. */
  async tests(
    target: Target,
    session: FinishedSession,
    result: TargetResult,
    signal: AbortSignal
  ): TestResults {
    const { last } = this._executor;
    if (result.reason?.kind === 'not-checked' || last === null) {
      return plannedTests(this._cells, target, this.language);
    }
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
      await this._executor.addAbove([{ id, index, source }], []);
    }
    return testResults(
      this._cells,
      request,
      execution,
      this._executor,
      signal,
      goesOn
    );
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

  /** @throws NotebookEnd for a cell that the notebook cannot do without. */
  private _stoppedAbove(
    cellId: string,
    { execution }: NonNullable<WarmExecutor['last']>
  ): void {
    const label = this._label(cellId);
    const why = printable(execution.stopMessage ?? '');
    if (this._tolerated.has(cellId)) {
      this._ports.progress.note(`  ${this._path} ${label} left out: ${why}`);
      this._leftOut.push(cellId);
      return;
    }
    const isLong = execution.stop === 'timeout';
    const clause = isLong
      ? `ran longer than ${this._command.options.sessionTimeout} s (--session-timeout).`
      : `failed: ${why}`;
    // A crash is the notebook's own; what never ends is bad input.
    const status = isLong ? 'input' : 'failed';
    const message = `${this._path} ${label}, above the target, ${clause}`;
    throw new NotebookEnd(status, `${label} above ${clause}`, {
      status,
      message
    });
  }

  private _label(cellId: string): string {
    const index = this._cells.findIndex(({ id }) => id === cellId);
    return cellLabel({ index, cellId });
  }

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
  /** Ids of those above whose error was reported. */
  private readonly _reported = new Set<string>();
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
