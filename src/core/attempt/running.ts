/** Runs the candidate of one attempt, again where more is allowed to it or its checks have changed. */
import { linkedController } from '../session/abort';
import type { Execution } from '../domain/execution';
import {
  type ExecutionJob,
  type ExecutionProgress,
  type IExecutor,
  executionJob
} from '../domain/executor';
import { repairJob } from '../domain/repair';
import type { RefineRequest } from '../domain/request';
import type { Permits } from '../session/budget/permits';
import type { Session } from '../session/session';
import { sealHoldouts } from '../domain/visible';

/** How long an aborted execution may take to end before it is given up, ms. */
const ABORT_GRACE = 2000;

export class CandidateRuns {
  constructor(
    private readonly _session: Session,
    private _request: RefineRequest,
    private readonly _executor: IExecutor,
    private readonly _permits: Permits,
    private readonly _attempt: number
  ) {}

  /** Execution time so far, ms. */
  kernelMs = 0;

  /** Let the executor get ready while the candidate is still being written. */
  warm(): void {
    const { options, path: notebookPath } = this._request;
    const { allowNetwork, allowWrites } = options;
    const job = { allowNetwork, allowWrites, notebookPath };
    this._executor.warm?.(this._permits.opened(job)).catch(() => undefined);
  }

  /** Other checks, from the next run on. */
  use(request: RefineRequest): void {
    this._request = request;
  }

  /** Run it to its end; where the session ends first, wait a moment for it to be over. */
  async result(candidate: string): Promise<Execution> {
    const { scope, clock } = this._session;
    const { controller, unlink } = linkedController(scope.signal);
    const started = clock.now();
    this._session.emit({ type: 'execution-start', attempt: this._attempt });
    const job = this._job(candidate);
    let ended = false;
    const run = this._executor.run(
      job,
      progress => {
        if (!ended && !scope.signal.aborted) {
          this._progress(progress);
        }
      },
      controller.signal
    );
    try {
      return sealHoldouts(job, await scope.wait(run));
    } finally {
      ended = true;
      this._endWait();
      if (scope.signal.aborted) {
        await this._settle(run);
      }
      this.kernelMs += clock.now() - started;
      unlink();
    }
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

  private _progress(progress: ExecutionProgress): void {
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
  private async _settle(run: Promise<unknown>): Promise<void> {
    const grace = new AbortController();
    await Promise.race([
      run.catch(() => undefined),
      this._session.clock
        .sleep(ABORT_GRACE, grace.signal)
        .catch(() => undefined)
    ]);
    grace.abort();
  }

  private _waiting = false;
  private _count = 0;
}
