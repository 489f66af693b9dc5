/** One attempt in a fork of the kernel: sent, watched, collected, and ended when it must be. */
import type { KernelMessage } from '@jupyterlab/services';
import {
  DisposableDelegate,
  DisposableSet,
  type IDisposable
} from '@lumino/disposable';
import type { IClock } from '../../core/clock';
import { RefineError, type RefineErrorCode } from '../../core/errors';
import type { ExecutionStop, Isolation } from '../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress
} from '../../core/domain/executor';
import {
  hasSecrets,
  isMissing,
  type KernelHarness,
  type Sidecar
} from '../harness';
import { KERNEL_END_MESSAGES, watchKernelEnd } from '../channel/kernelEnd';
import {
  parseAnswer,
  attemptSchema,
  cutExecution,
  parsePreview,
  type AttemptAnswer,
  type KernelExecution,
  type PrepareAnswer
} from '../schema';
import type { IShellRequest, ShellAnswer } from '../channel/shellRequest';
import {
  MAX_RESENDS,
  reportWaiting,
  resendPauseMs,
  whenIdle
} from '../channel/waiting';

/** How long the kernel holds the reply back for an attempt that ends soon. */
const GRACE_MS = 150;
/** A lost preview costs at most this. */
const POLL_MS = 1000;
/** How long a stopped attempt may take to report what it has done. */
const STOP_MS = 1000;
/** How long after its time limit the kernel part is trusted to end an attempt itself. */
const OVERDUE_MS = 15000;
/** How long a kernel with nothing to do may owe the answer before it is asked what became of it. */
const LOST_MS = 5000;
/** The kernel part's error name for a fork that failed before the candidate started. */
const CHILD_FAILED = 'child-failed';
/** The kernel part's word for secrets that arrive before their fork. */
const PREPARE_FIRST = 'prepare-first';
const STOPPED = 'stopped before it ended';

type Refused = Extract<AttemptAnswer, { state: 'refused' }>;

/** @internal One use each; {@link ForkExecutor} makes them. */
export class ForkRun implements IDisposable {
  constructor(
    private readonly _harness: KernelHarness,
    private readonly _clock: IClock,
    private readonly _job: ExecutionJob & Sidecar,
    private readonly _isolation: Isolation,
    private readonly _onProgress: (progress: ExecutionProgress) => void,
    /** What to do where no fork can start: a sentence. */
    private readonly _wayOut: string
  ) {}

  get isDisposed(): boolean {
    return this._open.isDisposed;
  }

  dispose(): void {
    this._open.dispose();
    this._look();
  }

  /** @throws RefineError kind `kernel` when there is no outcome to return. */
  outcome(signal: AbortSignal): Promise<KernelExecution> {
    const { kernel } = this._harness;
    return new Promise((resolve, reject) => {
      const onAbort = () => void this._stop().then(resolve, reject);
      signal.addEventListener('abort', onAbort, { once: true });
      kernel.iopubMessage.connect(this._onIOPub, this);
      for (const item of [
        new DisposableDelegate(() => {
          signal.removeEventListener('abort', onAbort);
          kernel.iopubMessage.disconnect(this._onIOPub, this);
        }),
        watchKernelEnd(
          kernel,
          this._clock,
          end => resolve(this._cut(end, KERNEL_END_MESSAGES[end])),
          this._harness.process
        )
      ]) {
        this._open.add(item);
      }
      this._drive(signal).then(resolve, reject);
    });
  }

  /** From sending to the answer that ends the attempt; never resolves once disposed. */
  private async _drive(signal: AbortSignal): Promise<KernelExecution> {
    let answer = await this._submit(signal);
    let again = false;
    let failed = false;
    let overdueAt = this._overdueAt();
    while (!this.isDisposed) {
      if (answer?.state === 'done') {
        return signal.aborted
          ? { ...answer.execution, status: 'cut', stop: 'stopped' }
          : answer.execution;
      }
      if (answer?.state === 'refused') {
        if (answer.code !== CHILD_FAILED) {
          throw refused(answer.message, 'kernel-refused', answer.traceback);
        }
        if (signal.aborted) {
          return this._cut('stopped', STOPPED);
        }
        if (failed) {
          throw this._neverStarted(answer);
        }
        // Once more: the cause of the failed fork may have passed.
        failed = true;
        answer = await this._submit(signal);
        overdueAt = this._overdueAt();
        continue;
      }
      if (answer?.state === 'unknown') {
        // The kernel part was reloaded, or the result was lost with the connection.
        if (again) {
          return this._cut(
            'interrupted',
            'The kernel lost the result of the attempt twice.'
          );
        }
        again = true;
        answer = await this._submit(signal);
        overdueAt = this._overdueAt();
        continue;
      }
      if (this._clock.now() > overdueAt) {
        void this._harness.cancel(this._job.id).catch(() => false);
        return this._cut(
          'timeout',
          `timeout: limit ${this._job.limits.seconds} s, and the kernel did not report how the attempt ended`
        );
      }
      await this._nextLook();
      answer = this.isDisposed
        ? null
        : await this._harness.collect(this._job.id);
    }
    return new Promise(() => undefined);
  }

  /** Send the attempt; one with secrets once there is a fork that waits for them. */
  private async _submit(signal: AbortSignal): Promise<AttemptAnswer | null> {
    const isSecret = hasSecrets(this._job);
    for (let sent = 0; sent <= MAX_RESENDS; sent++) {
      const prepared = isSecret ? await this._prepare() : null;
      if (prepared?.state === 'refused') {
        return prepared;
      }
      if (this.isDisposed || signal.aborted) {
        return null;
      }
      const answer = await this._send(signal);
      // A cell has run meanwhile.
      if (answer?.state !== 'refused' || answer.code !== PREPARE_FIRST) {
        return answer;
      }
    }
    throw dropped(MAX_RESENDS);
  }

  /** Let a fork wait for this attempt. */
  private _prepare(): Promise<PrepareAnswer> {
    const ended = new AbortController();
    this._open.add(new DisposableDelegate(() => ended.abort()));
    return this._harness.prepareForJudge(
      this._job,
      ended.signal,
      reason => reason !== null && this._tell({ type: 'waiting', reason })
    );
  }

  /** Send the attempt until the kernel takes it: a failing cell before it drops it. */
  private async _send(signal: AbortSignal): Promise<AttemptAnswer | null> {
    for (let sent = 0; !this.isDisposed; sent++) {
      if (sent > MAX_RESENDS) {
        throw dropped(sent);
      }
      const answer = await this._answerOf(
        this._harness.sendAttempt(this._job, GRACE_MS)
      );
      switch (answer.status) {
        case 'ok':
          this._start();
          return parseAnswer(attemptSchema, 'attempt', answer.value);
        case 'lost': {
          // Interrupted, or the connection was down: it may run anyway.
          const known = await this._harness.collect(this._job.id);
          if (known !== null && known.state !== 'unknown') {
            return known;
          }
          await this._pause(sent);
          break;
        }
        case 'raised':
          if (!isMissing(answer)) {
            throw new RefineError(
              'kernel',
              `The kernel could not start the attempt: ${answer.name}: ${answer.message}`
            );
          }
          await this._harness.install(signal);
          break;
        case 'aborted':
          await this._pause(sent);
          break;
      }
    }
    return null;
  }

  private _pause(sent: number): Promise<void> {
    return this._clock.sleep(resendPauseMs(sent));
  }

  private _answerOf(request: IShellRequest): Promise<ShellAnswer> {
    const { activity } = this._harness;
    const isOurs = () => this._started || activity.isRunning(request.msgId);
    const waiting = reportWaiting(activity, isOurs, reason =>
      reason === null ? this._start() : this._tell({ type: 'waiting', reason })
    );
    this._open.add(request);
    this._open.add(waiting);
    return new Promise<ShellAnswer>((resolve, reject) => {
      const idle = whenIdle(activity, LOST_MS, () =>
        resolve({ status: 'lost' })
      );
      this._open.add(idle);
      request.answer.then(answer => {
        idle.dispose();
        resolve(answer);
      }, reject);
    }).finally(() => {
      waiting.dispose();
      request.dispose();
    });
  }

  private _onIOPub(_: unknown, message: KernelMessage.IIOPubMessage): void {
    const type: string = message.header.msg_type;
    if (type !== 'refine_event') {
      return;
    }
    const preview = parsePreview(message.content);
    if (preview?.id !== this._job.id) {
      return;
    }
    this._start();
    switch (preview.type) {
      case 'started':
        break;
      case 'output':
        this._tell({
          type: 'output',
          stream: preview.stream,
          text: preview.text
        });
        break;
      case 'assertion':
        this._tell({ type: 'assertion', result: preview.result });
        break;
      case 'finished':
        this._look();
        break;
    }
  }

  private _start(): void {
    if (!this._started) {
      this._started = true;
      this._tell({ type: 'started' });
    }
  }

  private _tell(progress: ExecutionProgress): void {
    if (!this.isDisposed) {
      this._onProgress(progress);
    }
  }

  /** Ends the attempt; resolves soon, whether or not the kernel answers. */
  private async _stop(): Promise<KernelExecution> {
    const cancelled = this._harness.cancel(this._job.id).catch(() => false);
    if (this._started) {
      // The drive resolves first when the kernel reports what it has so far.
      void cancelled.then(() => this._look());
      await this._clock.sleep(STOP_MS);
    }
    return this._cut('stopped', STOPPED);
  }

  /** Wait until a preview says that there is something to collect, or a poll is due. */
  private async _nextLook(): Promise<void> {
    const poll = new AbortController();
    this._wake = () => poll.abort();
    if (this._lookAgain) {
      poll.abort();
    }
    await this._clock.sleep(POLL_MS, poll.signal).catch(() => undefined);
    this._lookAgain = false;
  }

  private _look(): void {
    this._lookAgain = true;
    this._wake();
  }

  private _overdueAt(): number {
    return this._clock.now() + this._job.limits.seconds * 1000 + OVERDUE_MS;
  }

  private _neverStarted({ message, traceback }: Refused): RefineError {
    const text = [
      message.replace(/\.?$/, '.'),
      'It was tried twice.',
      this._wayOut
    ]
      .filter(Boolean)
      .join(' ');
    return refused(text, CHILD_FAILED, traceback);
  }

  private _cut(stop: ExecutionStop, message: string): KernelExecution {
    return cutExecution(this._job.id, this._isolation, stop, message);
  }

  private readonly _open = new DisposableSet();
  private _started = false;
  private _lookAgain = false;
  private _wake: () => void = () => undefined;
}

function dropped(sent: number): RefineError {
  return new RefineError(
    'kernel',
    `The kernel dropped the attempt ${sent} times because a cell before it failed. Wait until the cells have run, then try again.`,
    {
      code: 'kernel-busy',
      numbers: { sent }
    }
  );
}

function refused(
  message: string,
  code: RefineErrorCode,
  traceback: string | undefined
): RefineError {
  return new RefineError('kernel', message, { code, cause: traceback });
}
