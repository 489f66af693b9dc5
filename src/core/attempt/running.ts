/** Runs the candidates of one attempt: at most one at a time, a superseded one is aborted. */
import { linkedController } from '../session/abort';
import type { Execution } from '../domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from '../domain/executor';
import { executionJob } from '../domain/job';
import { repairJob } from '../domain/repair';
import type { RefineRequest } from '../domain/request';
import type { Permits } from '../session/budget/permits';
import type { Session } from '../session/session';
import { sealHoldouts } from '../domain/visible';

/** How long an aborted execution may take to end before the next one starts beside it, ms. */
const ABORT_GRACE = 2000;

type Run = {
  readonly candidate: string;
  readonly controller: AbortController;
  readonly result: Promise<Execution>;
};

export class CandidateRuns {
  constructor(
    private readonly _session: Session,
    private _request: RefineRequest,
    private readonly _executor: IExecutor,
    private readonly _permits: Permits,
    private readonly _attempt: number
  ) {}

  /** Execution time so far, superseded runs included, ms. */
  kernelMs = 0;

  /** Let the executor get ready while the candidate is still being written. */
  warm(): void {
    const { options, path: notebookPath } = this._request;
    const { allowNetwork, allowWrites } = options;
    const job = { allowNetwork, allowWrites, notebookPath };
    this._executor.warm?.(this._permits.opened(job)).catch(() => undefined);
  }

  /** Other checks: what has started was against the earlier ones. */
  use(request: RefineRequest): void {
    this._request = request;
    this.abort();
  }

  /** Start the candidate of a block that has closed while the answer still streams. */
  startProvisional(candidate: string): void {
    if (this._run?.candidate !== candidate) {
      this.abort();
      this._start(candidate, true);
    }
  }

  /** A later block started: what runs is no longer the candidate. */
  abort(): void {
    const run = this._run;
    if (run) {
      this._run = null;
      this._endWait();
      run.controller.abort();
      this._ending = settled(run.result);
    }
  }

  /** The execution of the final candidate: the provisional one if that was it. */
  async result(candidate: string): Promise<Execution> {
    if (this._run?.candidate !== candidate) {
      this.abort();
      this._start(candidate, false);
    }
    const run = this._run!;
    try {
      return await this._session.scope.wait(run.result);
    } finally {
      this._endWait();
      if (this._session.scope.signal.aborted) {
        await this.end();
      }
    }
  }

  /** The same candidate once more: more is allowed to it now. */
  async again(candidate: string): Promise<Execution> {
    this._run = null;
    return this.result(candidate);
  }

  /** Abort what runs and wait a moment for it to be over. */
  async end(): Promise<void> {
    this.abort();
    await this._settle();
  }

  private _start(candidate: string, provisional: boolean): void {
    const { controller, unlink } = linkedController(this._session.scope.signal);
    const started = this._session.clock.now();
    this._session.emit({
      type: 'execution-start',
      attempt: this._attempt,
      provisional
    });
    const job = this._job(candidate);
    const result = this._settle()
      .then(() =>
        this._executor.run(
          job,
          progress => this._progress(run, progress),
          controller.signal
        )
      )
      .then(execution => sealHoldouts(job, execution))
      .finally(() => {
        this.kernelMs += this._session.clock.now() - started;
        unlink();
      });
    // A superseded run may fail with nobody waiting for it.
    result.catch(() => undefined);
    const run: Run = { candidate, controller, result };
    this._run = run;
  }

  private _job(candidate: string): ExecutionJob {
    const { session, scorer } = this._request;
    const repair = repairJob(
      this._request,
      this._session.state.attempts.find(a => a.attempt === 0)?.execution
    );
    const id = `${session}:${this._attempt}.${this._count++}`;
    return this._permits.opened({
      ...executionJob(this._request, id, candidate),
      ...(scorer ? { scorer } : {}),
      ...(repair ? { repair } : {}),
      ...this._static()
    });
  }

  /** Prose has no source to look at. */
  private _static(): Pick<ExecutionJob, 'static'> {
    const { options, target } = this._request;
    return options.evaluators.includes('static') && target.kind === 'code'
      ? { static: 'gate' }
      : {};
  }

  private _progress(run: Run, progress: ExecutionProgress): void {
    if (this._run !== run || this._session.scope.signal.aborted) {
      return;
    }
    const attempt = this._attempt;
    if (progress.type === 'waiting') {
      if (!this._waiting) {
        this._waiting = true;
        this._session.emit({
          type: 'wait-start',
          for: 'kernel',
          reason: progress.reason
        });
      }
      return;
    }
    this._endWait();
    if (progress.type === 'output') {
      this._session.emit({
        type: 'execution-output',
        attempt,
        stream: progress.stream,
        text: progress.text
      });
    } else if (
      progress.type === 'assertion' &&
      progress.result.role === 'assertion'
    ) {
      this._session.emit({
        type: 'assertion-end',
        attempt,
        result: progress.result
      });
    }
  }

  private _endWait(): void {
    if (this._waiting) {
      this._waiting = false;
      this._session.emit({ type: 'wait-end', for: 'kernel' });
    }
  }

  /** Until the aborted run is over; a port that does not end it is given up soon. */
  private async _settle(): Promise<void> {
    const ending = this._ending;
    this._ending = null;
    if (ending) {
      const grace = new AbortController();
      const late = this._session.clock
        .sleep(ABORT_GRACE, grace.signal)
        .catch(() => undefined);
      await Promise.race([ending, late]);
      grace.abort();
    }
  }

  private _run: Run | null = null;
  private _ending: Promise<unknown> | null = null;
  private _waiting = false;
  private _count = 0;
}

function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch(() => undefined);
}
