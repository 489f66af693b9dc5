/**
 * Where a check runs a notebook: copies of a warm process. Each target runs with its cells above in one
 * of them, so that nothing of the notebook runs anywhere else.
 */
import { dirname, resolve } from 'node:path';
import { systemClock } from '../../core/clock';
import type { Execution, Isolation } from '../../core/domain/execution';
import type {
  IExecutor,
  ExecutionJob,
  ExecutionProgress
} from '../../core/domain/executor';
import type { Target, VariableInfo } from '../../core/domain/request';
import { RefineError } from '../../core/errors';
import { forJudge, hasSecrets } from '../../kernel/harness';
import {
  cutExecution,
  attemptSchema,
  parseAnswer,
  type AboveReport
} from '../../kernel/schema';
import {
  cellAt,
  cellsAbove,
  markedRole,
  nbgraderMetadata,
  splitSource,
  type CellAbove,
  type NotebookCell
} from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
import { filesOfChecks } from '../files/notebookFile';
import { cellLabel, type TargetResult } from '../report/results';
import { errorText, printable } from '../report/screen';
import {
  NotebookEnd,
  type IPlace,
  type FinishedSession,
  type NotebookPorts
} from './place';
import { resultOf } from './target/targetResult';
import { plannedTests, testResults, type TestResults } from './testCells';
import type { WarmProcess } from './warmProcess';

/** So that the session does not end before the limit of the cells above reports which one it was. */
const MARGIN_SECONDS = 60;
/** How long after its limits the process is trusted to end an attempt itself. */
const OVERDUE_MS = 15_000;

/** What became of the last attempt beyond its execution. */
type LastRun = {
  readonly execution: Execution;
  readonly above: AboveReport;
  /** `above`, `candidate`, `checks`, `judging` where it was cut there. */
  readonly stage: string;
};

export class WarmPlace implements IPlace, IExecutor {
  constructor(
    private readonly _command: NotebookCommand,
    private readonly _path: string,
    private readonly _cells: readonly NotebookCell[],
    private readonly _warm: WarmProcess,
    private readonly _ports: NotebookPorts
  ) {
    const { options } = _command;
    this.settings = {
      ...options,
      sessionTimeout:
        options.sessionTimeout + 2 * options.attemptTimeout + MARGIN_SECONDS
    };
  }

  readonly language = 'python';
  readonly lost = null;
  readonly settings: NotebookCommand['options'];

  readonly executor = async (): Promise<IExecutor> => this;
  /** What runs ends with its attempt. */
  readonly end = async (): Promise<void> => undefined;
  readonly prepare = async (): Promise<Isolation> => this._warm.isolation;
  /** No variable is alive between attempts, and no model reads of one. */
  readonly inspect = async (): Promise<readonly VariableInfo[]> => [];

  async run(
    job: ExecutionJob,
    _: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const startedAt = systemClock.now();
    const aboveSeconds = this._command.options.sessionTimeout;
    const limits = { ...job.limits, aboveSeconds };
    const notebookPath = this._isSecret ? job.notebookPath : undefined;
    const copy = {
      folder: dirname(resolve(this._path)),
      imports: importsOf(this._cells)
    };
    const requests = [
      this._cellsAbove(),
      ...(hasSecrets(job) ? [forJudge(job)] : []),
      { op: 'attempt', job: { ...job, limits, notebookPath }, graceMs: 0 }
    ];
    const ask = async () =>
      parseAnswer(
        attemptSchema,
        'attempt',
        await this._warm.attempt(copy, requests, signal)
      );
    const overdue = (2 * limits.seconds + aboveSeconds) * 1000 + OVERDUE_MS;
    const timer = setTimeout(this._warm.kill, overdue);
    try {
      let answer = await ask();
      if (answer.state === 'refused' && answer.code === 'child-failed') {
        // Once more: the cause of the failed fork may have passed.
        answer = await ask();
      }
      if (answer.state !== 'done') {
        const message =
          answer.state === 'refused' ? answer.message : `it is ${answer.state}`;
        throw new RefineError('kernel', message, { code: 'child-failed' });
      }
      const execution: Execution = {
        ...(signal.aborted
          ? { ...answer.execution, status: 'cut' as const, stop: 'stopped' }
          : answer.execution),
        totalMs: systemClock.now() - startedAt
      };
      const { above = { errors: [] }, stage = '' } = answer;
      this._last = { execution, above, stage };
      return execution;
    } catch (error) {
      if (signal.aborted) {
        const { isolation } = this._warm;
        const cut = cutExecution(job.id, isolation, 'stopped', 'stopped');
        return { ...cut, totalMs: systemClock.now() - startedAt };
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The notebook holds what no attempt may read. Others may read it: otter keeps tests in its metadata. */
  private get _isSecret(): boolean {
    return this._cells.some(cell => splitSource(cell).hidden.trim() !== '');
  }

  /** Each attempt runs the cells above itself. */
  async runAbove(target: Target): Promise<void> {
    this._last = null;
    this._all ??= cellsAbove(this._cells, this._cells.length, this.language);
    this._above = this._all.filter(({ index }) => index < target.index);
    this._targets.add(target.cellId);
  }

  /** As in nbgrader, that one raises ends nothing, since a student's scratch cell may. */
  private _cellsAbove() {
    const cells = this._above.filter(({ id }) => !this._leftOut.has(id));
    return {
      op: 'above',
      cells: cells.map(({ id, index, source }) => ({
        cellId: id,
        index,
        source
      })),
      hidden: filesOfChecks(this._command, this._path).filter(
        file => this._isSecret || file !== resolve(this._path)
      ),
      folderOfChecks: dirname(resolve(this._command.tests ?? this._path))
    };
  }

  /** Cells that ran into a limit are left out, and what is left is tried again. */
  resultOf(target: Target, session: FinishedSession): TargetResult | null {
    const result = resultOf(target, session);
    const last = this._last;
    if (last === null) {
      return result;
    }
    // Each attempt runs all cells above, and reports each error again.
    const fresh = last.above.errors.filter(
      ({ cellId }) => !this._reported.has(cellId)
    );
    for (const { cellId, error } of fresh) {
      this._reported.add(cellId);
      const what = `${this._label(cellId)}: ${errorText(error)}`;
      this._ports.progress.note(`  ${this._path} ${what}`);
    }
    const { execution, above, stage } = last;
    if (above.cellId !== undefined && execution.stop !== 'stopped') {
      this._stoppedAbove(above.cellId, last);
      return null;
    }
    if (execution.stop !== undefined && stage === 'candidate') {
      this._leftOut.add(target.cellId);
    } else if (execution.stop !== undefined && stage === 'checks') {
      const checks = session.request.assertions.filter(
        ({ index, statements }) =>
          statements > 0 || markedRole(cellAt(this._cells, index)) !== null
      );
      checks.forEach(({ cellId }) => this._leftOut.add(cellId));
    }
    return result;
  }

  /** As nbgrader, which goes on after a cell that raised: its tests are run with what it has defined. */
  async tests(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TestResults {
    const last = this._last;
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
      this._above = [...this._above, { id, index, source, mayFail: true }];
    }
    const { signal } = this._ports;
    return testResults(this._cells, request, execution, this, signal, goesOn);
  }

  /** @throws NotebookEnd for a cell that the notebook cannot do without. */
  private _stoppedAbove(cellId: string, { execution }: LastRun): void {
    const label = this._label(cellId);
    const why = printable(execution.stopMessage ?? '');
    const cell = this._above.find(({ id }) => id === cellId);
    if (cell?.mayFail || this._targets.has(cellId)) {
      this._ports.progress.note(`  ${this._path} ${label} left out: ${why}`);
      this._leftOut.add(cellId);
      return;
    }
    const isLong = execution.stop === 'timeout';
    const clause = isLong
      ? `ran longer than ${this._command.options.sessionTimeout} s (--session-timeout).`
      : `failed: ${why}`;
    // A crash is the notebook's own; what never ends is bad input.
    throw new NotebookEnd(
      isLong ? 'input' : 'failed',
      `${label} above ${clause}`
    );
  }

  private _label(cellId: string): string {
    const index = this._cells.findIndex(({ id }) => id === cellId);
    return cellLabel({ index, cellId });
  }

  /** Null before the first run of a target. */
  private _last: LastRun | null = null;
  private _all: readonly CellAbove[] | null = null;
  /** Those that the next attempt runs, but for what is left out. */
  private _above: readonly Pick<
    CellAbove,
    'id' | 'index' | 'source' | 'mayFail'
  >[] = [];
  private readonly _targets = new Set<string>();
  /** Ids of those above whose error was reported. */
  private readonly _reported = new Set<string>();
  private readonly _leftOut = new Set<string>();
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
