/** Runs each attempt in a fork of a process that has run nothing of the notebook: the cells above come first in it. */
import { systemClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import type { Execution, Isolation } from '../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from '../../core/domain/executor';
import type { ContextValues } from '../../core/options';
import type { VariableInfo } from '../../core/domain/request';
import { cutExecution } from '../../kernel/schema';
import {
  attemptSchema,
  helloSchema,
  okSchema,
  parseAnswer,
  parsePreview,
  prepareSchema,
  type AboveReport,
  type AttemptAnswer
} from '../../kernel/schema';
import { forJudge, hasSecrets } from '../../kernel/harness';
import type { CellAbove } from '../../notebook';
import type { WarmProcess } from './warmProcess';

/** A lost preview costs at most this. */
const POLL_MS = 1000;
/** How long after its limits the process is trusted to end an attempt itself. */
const OVERDUE_MS = 15_000;

/** As nbgrader: that it raises ends nothing, since a student's scratch cell may. */
export type WarmCell = Pick<CellAbove, 'id' | 'index' | 'source'>;

/** What became of the last attempt beyond its execution. */
export type LastRun = {
  readonly execution: Execution;
  readonly above: AboveReport;
  /** `above`, `candidate`, `checks`, `judging` where it was cut there. */
  readonly stage: string;
};

export class WarmExecutor implements IExecutor {
  /**
   * @param aboveSeconds - wall time that the cells above may take together.
   * @param hidden - absolute paths of files that no attempt may read.
   * @param folderOfChecks - whose modules the checks may import.
   */
  constructor(
    private readonly _process: WarmProcess,
    private readonly _aboveSeconds: number,
    private readonly _hidden: readonly string[],
    private readonly _folderOfChecks: string
  ) {}

  /** Null before the first run. */
  last: LastRun | null = null;

  /** Cells that are below those added before; `leftOut` are ids of cells that no attempt runs any more. */
  async addAbove(
    cells: readonly WarmCell[],
    leftOut: readonly string[]
  ): Promise<void> {
    const answer = await this._process.request({
      op: 'above',
      cells: cells.map(({ id, ...cell }) => ({ cellId: id, ...cell })),
      leftOut,
      hidden: this._hidden,
      folderOfChecks: this._folderOfChecks
    });
    parseAnswer(okSchema, 'above', answer);
  }

  async prepare(_signal?: AbortSignal): Promise<Isolation> {
    if (this._isolation === null) {
      const answer = await this._process.request({ op: 'hello' });
      this._isolation = parseAnswer(helloSchema, 'hello', answer).isolation;
    }
    return this._isolation;
  }

  /** No variable is alive between attempts, and no model reads of one. */
  inspect(
    _names: readonly string[],
    _values: ContextValues,
    _signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    return Promise.resolve([]);
  }

  async run(
    job: ExecutionJob,
    onProgress: (progress: ExecutionProgress) => void,
    signal: AbortSignal
  ): Promise<Execution> {
    const startedAt = systemClock.now();
    const isolation = await this.prepare();
    const cancel = () =>
      void this._process
        .request({ op: 'cancel', id: job.id })
        .catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    this._process.onEvent = content => this._onEvent(job, content, onProgress);
    try {
      const run = () => this._process.apart(() => this._answer(job, signal));
      let answer = await run();
      if (answer.state === 'refused' && answer.code === 'child-failed') {
        // Once more: the cause of the failed fork may have passed.
        answer = await run();
      }
      if (answer.state !== 'done') {
        const message =
          answer.state === 'refused'
            ? answer.message
            : `an attempt is ${answer.state}`;
        throw new RefineError('kernel', message, { code: 'child-failed' });
      }
      const execution: Execution = {
        ...(signal.aborted
          ? { ...answer.execution, status: 'cut' as const, stop: 'stopped' }
          : answer.execution),
        totalMs: systemClock.now() - startedAt
      };
      const { above = { errors: [] }, stage = '' } = answer;
      this.last = { execution, above, stage };
      return execution;
    } catch (error) {
      if (signal.aborted) {
        const cut = cutExecution(job.id, isolation, 'stopped', 'stopped');
        return { ...cut, totalMs: systemClock.now() - startedAt };
      }
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      this._process.onEvent = () => undefined;
    }
  }

  private async _answer(
    job: ExecutionJob,
    signal: AbortSignal
  ): Promise<AttemptAnswer> {
    signal.throwIfAborted();
    if (hasSecrets(job)) {
      const ready = await this._process.request(forJudge(job));
      const prepared = parseAnswer(prepareSchema, 'prepare', ready);
      if (prepared.state === 'refused') {
        return prepared;
      }
    }
    const limits = { ...job.limits, aboveSeconds: this._aboveSeconds };
    const overdueAt =
      systemClock.now() +
      (2 * limits.seconds + limits.aboveSeconds) * 1000 +
      OVERDUE_MS;
    this._isFinished = false;
    let answer = await this._ask({
      op: 'attempt',
      job: { ...job, limits },
      graceMs: 0
    });
    while (answer.state === 'running') {
      if (systemClock.now() > overdueAt) {
        this._process.kill();
      }
      await this._finished();
      answer = await this._ask({ op: 'collect', id: job.id });
    }
    return answer;
  }

  private async _ask(
    request: { readonly op: string } & Readonly<Record<string, unknown>>
  ): Promise<AttemptAnswer> {
    const answer = await this._process.request(request);
    return parseAnswer(attemptSchema, request.op, answer);
  }

  private _onEvent(
    job: ExecutionJob,
    content: unknown,
    onProgress: (progress: ExecutionProgress) => void
  ): void {
    const preview = parsePreview(content);
    if (preview?.id !== job.id) {
      return;
    }
    switch (preview.type) {
      case 'finished':
        this._isFinished = true;
        this._wake();
        break;
      case 'started':
        onProgress({ type: 'started' });
        break;
      case 'output':
        onProgress({
          type: 'output',
          stream: preview.stream,
          text: preview.text
        });
        break;
      case 'assertion':
        onProgress({ type: 'assertion', result: preview.result });
        break;
    }
  }

  /** Resolves when the attempt has ended, or a poll is due. */
  private async _finished(): Promise<void> {
    if (!this._isFinished) {
      const poll = new AbortController();
      this._wake = () => poll.abort();
      await systemClock.sleep(POLL_MS, poll.signal).catch(() => undefined);
    }
    this._isFinished = false;
  }

  private _isolation: Isolation | null = null;
  private _isFinished = false;
  private _wake: () => void = () => undefined;
}
