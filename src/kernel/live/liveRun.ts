/** One attempt in the live kernel: a check that must fail, the candidate, then each check. */
import { languageOf } from '../../core/languages/list';
import type { Kernel } from '@jupyterlab/services';
import {
  DisposableDelegate,
  DisposableSet,
  type IDisposable
} from '@lumino/disposable';
import { after, type IClock } from '../../core/clock';
import type {
  AssertionResult,
  DisplayData,
  ExecutionStop,
  Isolation,
  ScorerResult
} from '../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress
} from '../../core/domain/executor';
import { untilAborted } from '../../core/session/abort';
import type { CheckCell } from '../../core/domain/request';
import type { KernelHarness } from '../harness';
import type { KernelActivity } from '../channel/kernelActivity';
import { KERNEL_END_MESSAGES, watchKernelEnd } from '../channel/kernelEnd';
import { liveChecks, type LiveCheck } from './liveChecks';
import {
  executeLive,
  type ILiveRequest,
  type LiveAnswer,
  type LiveOutput
} from './liveRequest';
import type { KernelExecution, StaticAnswer } from '../schema';
import {
  MAX_RESENDS,
  reportWaiting,
  resendPauseMs,
  whenIdle
} from '../channel/waiting';

/** A syntax error in every language: some kernels (Octave's) reply `ok` to any error. */
const NO_PROGRAM = ')]}';

const NOT_SCORED_REASON =
  'The scorer was not run: it needs attempts in a fork or a second kernel, and here they run in your kernel itself.';
const NOT_SCORED: ScorerResult = {
  value: null,
  goal: 'max',
  name: 'score',
  error: {
    name: 'ScorerError',
    message: NOT_SCORED_REASON,
    traceback: NOT_SCORED_REASON
  }
};

/** How long an interrupt may take before it is sent again. */
const INTERRUPT_MS = 2000;
const MAX_INTERRUPTS = 5;
/** Characters kept per stream. */
const TEXT_LIMIT = 1000000;
/** One more is named, without its data. */
const DISPLAYS_LIMIT = 20;

/** Thrown inside a run to end it; carries what the execution says of it. */
class Cut {
  constructor(
    readonly stop: ExecutionStop,
    readonly message: string
  ) {}
}

/** @internal One use each; {@link LiveExecutor} makes them. */
export class LiveRun implements IDisposable {
  constructor(
    private readonly _kernel: Kernel.IKernelConnection,
    private readonly _activity: KernelActivity,
    private readonly _clock: IClock,
    private readonly _language: string,
    private readonly _isolation: Isolation,
    private readonly _job: ExecutionJob,
    private readonly _onProgress: (progress: ExecutionProgress) => void,
    /** In Python, splits the checks; stays the caller's. */
    private readonly _harness: KernelHarness | null = null
  ) {
    this._checks = liveChecks(this._cells, _language);
    for (const name of _job.hiddenData ?? []) {
      this._warnings.push(
        `${name} is not hidden: attempts run in your kernel itself here.`
      );
    }
  }

  get isDisposed(): boolean {
    return this._open.isDisposed;
  }

  dispose(): void {
    this._open.dispose();
  }

  /** @throws RefineError kind `kernel` when the kernel is dead before anything was sent. */
  async outcome(signal: AbortSignal): Promise<KernelExecution> {
    const end = (stop: ExecutionStop, message: string) =>
      this._ending.abort(new Cut(stop, message));
    const onAbort = () => end('stopped', 'stopped before it ended');
    signal.addEventListener('abort', onAbort, { once: true });
    this._open.add(
      new DisposableDelegate(() => signal.removeEventListener('abort', onAbort))
    );
    this._open.add(
      watchKernelEnd(this._kernel, this._clock, how =>
        end(how, KERNEL_END_MESSAGES[how])
      )
    );
    try {
      await this._untilFree();
      this._tell({ type: 'started' });
      const { seconds } = this._job.limits;
      const cancel = after(this._clock, seconds * 1000, () =>
        end('timeout', `timeout: limit ${seconds} s`)
      );
      this._open.add(new DisposableDelegate(cancel));
      await (this._harness && this._askPython(this._harness));
      await this._checkCanary();
      return await this._runAll();
    } catch (reason) {
      if (!(reason instanceof Cut)) {
        throw reason;
      }
      return {
        ...this._execution('cut'),
        stop: reason.stop,
        stopMessage: reason.message
      };
    }
  }

  /** In Python a check is a statement, elsewhere a cell; and the candidate's source is looked at first. */
  private async _askPython(harness: KernelHarness): Promise<void> {
    const { signal } = this._ending;
    const { candidate, static: wanted } = this._job;
    const checks = harness.liveChecks(this._cells, signal);
    this._checks = await untilAborted(checks, signal);
    if (wanted !== undefined) {
      const looked = harness.lookAt(candidate, this._cells, signal);
      this._looked = await untilAborted(looked, signal);
    }
  }

  /** Candidate and checks; the limit and a stop break it off with a {@link Cut}. */
  private async _runAll(): Promise<KernelExecution> {
    const refused = this._looked?.error;
    if (refused) {
      return { ...this._execution('error'), error: refused };
    }
    this._beganAt = this._clock.now();
    const answer = await this._execute(this._job.candidate, true);
    if (answer.status === 'error') {
      return { ...this._execution('error'), error: answer.error };
    }
    for (const check of this._checks.filter(c => c.role === 'assertion')) {
      await this._check(check);
    }
    if (this._execution('completed').assertions.every(heldOrHoldout)) {
      await this._runHoldouts();
    }
    const execution = this._execution('completed');
    const scores =
      this._job.scorer &&
      execution.assertions.every(a => a.outcome === 'passed');
    return scores ? { ...execution, scored: NOT_SCORED } : execution;
  }

  /** Nothing but whether they hold leaves this stage: no output, no preview. */
  private async _runHoldouts(): Promise<void> {
    this._outputs.close();
    for (const check of this._checks.filter(c => c.role === 'holdout')) {
      await this._check(check);
    }
  }

  private async _check(check: LiveCheck): Promise<void> {
    const began = this._clock.now();
    const broken = this._broken.get(check.cellId);
    const answer = broken ?? (await this._execute(check.code, false));
    if (!check.counts && answer.status === 'ok') {
      return;
    }
    if (!check.counts && this._harness !== null) {
      // The statements after it could hold on older values.
      this._broken.set(check.cellId, answer);
      return;
    }
    const result = checkResult(
      check,
      answer,
      this._language,
      this._clock.now() - began,
      broken !== undefined
    );
    this._results.push(result);
    if (check.role === 'assertion') {
      this._tell({ type: 'assertion', result });
    }
  }

  private async _checkCanary(): Promise<void> {
    const { canary } = languageOf(this._language);
    const mustFail = canary ?? NO_PROGRAM;
    const answer = await this._execute(mustFail, null);
    if (answer.status === 'ok') {
      this._tampering.push(
        `The kernel lets “${mustFail}” pass, so its checks prove nothing.`
      );
    } else if (canary === null) {
      this._warnings.push(
        `How a check fails in ${this._language} is not known, so the kernel was not tested with a check that must fail.`
      );
    }
  }

  /** Execute one piece of code, its output dropped where `isCandidate` is null; an answer is `ok` or `error`, everything else a {@link Cut}. */
  private async _execute(
    code: string,
    isCandidate: boolean | null
  ): Promise<Ended> {
    for (let sent = 0; sent <= MAX_RESENDS; sent++) {
      const { signal } = this._ending;
      signal.throwIfAborted();
      const request = executeLive(
        this._kernel,
        code,
        output => isCandidate !== null && this._onOutput(output, isCandidate)
      );
      const answer = await untilAborted(request.answer, signal).catch(
        async cut => {
          await this._breakOff(request);
          throw cut;
        }
      );
      if (isInterrupt(answer)) {
        throw new Cut('interrupted', 'interrupted from outside');
      }
      if (answer.status === 'ok' || answer.status === 'error') {
        return answer;
      }
      if (answer.status === 'lost') {
        const stop = 'kernel-died';
        throw new Cut(stop, KERNEL_END_MESSAGES[stop]);
      }
      await this._untilFree();
      // tslab drops all requests that arrive within 200 ms of an error.
      await this._clock.sleep(resendPauseMs(sent), signal);
    }
    throw new Cut(
      'interrupted',
      `dropped by the kernel ${MAX_RESENDS + 1} times because a cell before it failed`
    );
  }

  private async _breakOff(request: ILiveRequest): Promise<void> {
    const { stop } = this._ending.signal.reason as Cut;
    if (this._kernel.isDisposed || stop.startsWith('kernel-')) {
      return;
    }
    const warning = await interruptOwn(
      this._kernel,
      this._activity,
      request,
      this._clock
    );
    if (warning !== null) {
      this._warnings.push(warning);
    }
  }

  private async _untilFree(): Promise<void> {
    const { _activity: activity } = this;
    const waiting = reportWaiting(
      activity,
      () => false,
      reason => reason !== null && this._tell({ type: 'waiting', reason })
    );
    this._open.add(waiting);
    const idle = new Promise<void>(resolve => {
      this._open.add(whenIdle(activity, 0, resolve));
    });
    await untilAborted(idle, this._ending.signal);
    waiting.dispose();
  }

  private _onOutput(output: LiveOutput, isCandidate: boolean): void {
    const kept = this._outputs.add(output, isCandidate);
    if (kept !== null) {
      this._tell({ type: 'output', ...kept });
    }
  }

  private _tell(progress: ExecutionProgress): void {
    if (!this.isDisposed && !this._ending.signal.aborted) {
      this._onProgress(progress);
    }
  }

  private _execution(status: KernelExecution['status']): KernelExecution {
    const reported = new Set(this._results.map(result => result.id));
    const notRun = this._checks
      .filter(check => check.counts && !reported.has(check.id))
      .map(notRunResult);
    return {
      id: this._job.id,
      status,
      assertions: [...this._results, ...notRun],
      ...this._outputs.kept,
      ...(this._looked && { findings: this._looked.findings }),
      isolation: this._isolation,
      filesWritten: [],
      denied: [],
      tampering: this._tampering,
      warnings: this._warnings,
      durationMs: this._beganAt === null ? 0 : this._clock.now() - this._beganAt
    };
  }

  private get _cells(): readonly CheckCell[] {
    return [...this._job.assertions, ...this._job.holdouts];
  }

  private _checks: readonly LiveCheck[];
  private readonly _open = new DisposableSet();
  private readonly _results: AssertionResult[] = [];
  /** Cells whose set-up failed. */
  private readonly _broken = new Map<string, Ended>();
  private readonly _outputs = new LiveOutputs();
  private readonly _tampering: string[] = [];
  private readonly _warnings: string[] = [];
  /** Null without static checks. */
  private _looked: StaticAnswer | null = null;
  private _beganAt: number | null = null;
  /** Aborted with the {@link Cut} that ends it. */
  private readonly _ending = new AbortController();
}

function heldOrHoldout({ role, outcome }: AssertionResult): boolean {
  return role === 'holdout' || outcome === 'passed';
}

/** An answer of code that was run. */
type Ended = Extract<LiveAnswer, { status: 'ok' | 'error' }>;

/** @param isBroken The answer is that of the set-up above the check. */
function checkResult(
  check: LiveCheck,
  answer: Ended,
  language: string,
  durationMs: number,
  isBroken: boolean
): AssertionResult {
  const fields = { ...fieldsOf(check), durationMs };
  if (answer.status === 'ok') {
    return check.nothing === undefined
      ? { ...fields, outcome: 'passed' }
      : { ...fields, outcome: 'not-run', difference: check.nothing };
  }
  const { error } = answer;
  const { isFailedCheck } = languageOf(language);
  const failed = !isBroken && isFailedCheck(error.name, error.message);
  return { ...fields, outcome: failed ? 'failed' : 'error', error };
}

/** Reported as an abort, or as the error that Python and Julia raise. */
function isInterrupt(answer: LiveAnswer): boolean {
  return (
    answer.status === 'interrupted' ||
    (answer.status === 'error' &&
      /^(KeyboardInterrupt|InterruptException)$/.test(answer.error.name))
  );
}

function notRunResult(check: LiveCheck): AssertionResult {
  return { ...fieldsOf(check), outcome: 'not-run', durationMs: 0 };
}

function fieldsOf({ id, cellId, role, line, source }: LiveCheck) {
  return { id, cellId, role, line, source };
}

/**
 * Interrupt the kernel while it works on `request`; when that is still queued
 * behind a cell, it cannot be taken back and is interrupted when its turn comes.
 *
 * @returns A sentence for the user when the kernel did not react; else null.
 */
async function interruptOwn(
  kernel: Kernel.IKernelConnection,
  activity: KernelActivity,
  request: ILiveRequest,
  clock: IClock
): Promise<string | null> {
  if (!activity.isRunning(request.msgId)) {
    interruptWhenRunning(kernel, activity, request);
    return null;
  }
  for (let sent = 0; sent < MAX_INTERRUPTS; sent++) {
    await kernel.interrupt().catch(() => undefined);
    const ended = await Promise.race([
      request.answer.then(() => true),
      clock.sleep(INTERRUPT_MS).then(() => false)
    ]);
    if (ended || !activity.isRunning(request.msgId)) {
      return null;
    }
  }
  return `The kernel did not react to ${MAX_INTERRUPTS} interrupts; the attempt may still run there. Restart the kernel if it stays busy.`;
}

/** Outlives its run on purpose: ends with the request. */
function interruptWhenRunning(
  kernel: Kernel.IKernelConnection,
  activity: KernelActivity,
  request: ILiveRequest
): void {
  const onChanged = () => {
    if (activity.isRunning(request.msgId)) {
      activity.changed.disconnect(onChanged);
      void kernel.interrupt().catch(() => undefined);
    }
  };
  activity.changed.connect(onChanged);
  void request.answer.then(() => activity.changed.disconnect(onChanged));
}

/** What a live execution printed and displayed, within bounds. */
class LiveOutputs {
  /** Everything kept so far. */
  get kept(): {
    readonly stdout: string;
    readonly stderr: string;
    readonly displays: readonly DisplayData[];
  } {
    return { ...this._text, displays: this._displays };
  }

  /** Drop all that comes from now on: hold-outs run. */
  close(): void {
    this._closed = true;
  }

  /** The text that was kept of this output; null for none. Displays of checks are dropped. */
  add(
    output: LiveOutput,
    isCandidate: boolean
  ): { readonly stream: 'stdout' | 'stderr'; readonly text: string } | null {
    if (this._closed) {
      return null;
    }
    if (output.type === 'display') {
      if (isCandidate && this._displays.length <= DISPLAYS_LIMIT) {
        const { display } = output;
        this._displays.push(
          this._displays.length < DISPLAYS_LIMIT
            ? display
            : { ...display, data: '', leftOut: display.data.length }
        );
      }
      return null;
    }
    const { stream } = output;
    const room = Math.max(0, TEXT_LIMIT - this._text[stream].length);
    const text = output.text.slice(0, room);
    this._text[stream] += text;
    return text === '' ? null : { stream, text };
  }

  private _closed = false;
  private readonly _text = { stdout: '', stderr: '' };
  private readonly _displays: DisplayData[] = [];
}
