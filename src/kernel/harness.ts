/** The kernel part from outside: installs it and asks it, over the shell or past a running cell. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { z } from 'zod';
import type { IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type {
  ExecutionJob,
  FailedSource,
  WarmJob,
  PausedFrame
} from '../core/domain/executor';
import type { KernelFailure } from '../core/domain/repair';
import type { ContextValues } from '../core/settings';
import type { CheckCell, VariableInfo } from '../core/domain/request';
import { askOnControl } from './channel/controlRequest';
import { evaluateInFrame } from './channel/frameRequest';
import { KernelActivity } from './channel/kernelActivity';
import type { LiveCheck } from './live/liveChecks';
import {
  attemptSchema,
  failureSchema,
  helloSchema,
  inspectSchema,
  liveChecksSchema,
  okSchema,
  parseAnswer,
  prepareSchema,
  staticSchema,
  type AttemptAnswer,
  type Hello,
  type PrepareAnswer,
  type StaticAnswer
} from './schema';
import {
  askShell,
  describeAnswer,
  kernelEnded,
  type Waiting
} from './channel/shellAsk';
import {
  evaluate,
  type IShellRequest,
  type ShellAnswer
} from './channel/shellRequest';

const MODULE = '_jupyterlab_refine';
const CONTROL_TIMEOUT_MS = 5000;

/** Whether attempts have processes of their own, with copies of the variables that they name. */
export type Sidecar = { readonly sidecar?: boolean };

type Place = WarmJob & Sidecar;

export class KernelHarness implements IDisposable {
  constructor(
    readonly kernel: Kernel.IKernelConnection,
    private readonly _clock: IClock,
    /** Environment variables with keys: attempts run without them, their values are masked. */
    readonly keyVariables: readonly string[] = [],
    /** Where the debugger has stopped the kernel: requests are evaluated there, beside its variables. */
    private readonly _frame: PausedFrame | null = null,
    /** Absolute paths of files that no attempt may read, beside its notebook. */
    readonly hiddenFiles: readonly string[] = []
  ) {
    this.activity = new KernelActivity(kernel, _clock, _frame !== null);
  }

  readonly activity: KernelActivity;

  /** Session id of the process the kernel part was installed in. */
  get process(): string | undefined {
    return this._process;
  }

  /** True when a paused frame takes the requests. */
  get inFrame(): boolean {
    return this._frame !== null;
  }

  get isDisposed(): boolean {
    return this.activity.isDisposed;
  }

  dispose(): void {
    this.activity.dispose();
  }

  /**
   * Load this version of the kernel part unless it is loaded.
   *
   * @throws RefineError kind `kernel` when the kernel is no Python that can run it, or gone.
   */
  async install(signal: AbortSignal, onWaiting?: Waiting): Promise<Hello> {
    // Loaded on first use: most of this room's size.
    const { KERNEL_SOURCE, KERNEL_VERSION } = await import('./kernelSource');
    const { keyVariables, hiddenFiles } = this;
    const request = {
      op: 'hello',
      keyVariables,
      ...(hiddenFiles.length > 0 ? { hiddenFiles } : {})
    };
    // One that raises would take the place of the user's last error.
    const first = await this._ask(
      this._expression(request, true),
      signal,
      onWaiting
    );
    const known = this._readHello(first, KERNEL_VERSION);
    if (known !== null) {
      return known;
    }
    const source = pythonLiteral(KERNEL_SOURCE);
    const installed = await this._ask(
      `exec(${source}, {'__name__': '${MODULE}_loader'})`,
      signal,
      onWaiting
    );
    if (installed.status === 'raised') {
      throw new RefineError(
        'kernel',
        `This kernel cannot isolate attempts: ${installed.name}: ${installed.message}.`,
        { code: 'kernel-refused' }
      );
    }
    const hello = await this._ask(this._expression(request), signal, onWaiting);
    if (isMissing(hello)) {
      throw kernelEnded('kernel-restarted');
    }
    const answer = this._readHello(hello, KERNEL_VERSION);
    if (answer === null) {
      throw new RefineError(
        'kernel',
        hello.status === 'raised'
          ? `The kernel part did not start: ${hello.name}: ${hello.message}`
          : `The kernel part did not start in version ${KERNEL_VERSION}. Restart the kernel and try again.`,
        { code: 'kernel-refused' }
      );
    }
    return answer;
  }

  async inspect(
    names: readonly string[],
    values: ContextValues,
    signal: AbortSignal
  ): Promise<readonly VariableInfo[]> {
    const answer = await this._call(
      { op: 'inspect', names, values },
      inspectSchema,
      signal
    );
    return answer.variables;
  }

  /** What is known of the last error, when it is of this source and type. */
  async inspectFailure(
    { source, name }: FailedSource,
    values: ContextValues,
    signal: AbortSignal
  ): Promise<KernelFailure | null> {
    const answer = await this._call(
      { op: 'failure', source, name, values },
      failureSchema,
      signal
    );
    return answer.failure ?? null;
  }

  /** Check cells as statements to execute one by one in the live kernel. */
  async liveChecks(
    cells: readonly CheckCell[],
    signal: AbortSignal
  ): Promise<readonly LiveCheck[]> {
    const answer = await this._call(
      { op: 'live-checks', cells },
      liveChecksSchema,
      signal
    );
    return answer.checks;
  }

  /** What is wrong with a source, seen without running it; `checks` may define names for it. */
  lookAt(
    source: string,
    checks: readonly CheckCell[],
    signal: AbortSignal
  ): Promise<StaticAnswer> {
    return this._call(
      { op: 'static', source, cells: checks },
      staticSchema,
      signal
    );
  }

  /** Send an attempt; the caller waits for the answer, which may be `running`. */
  sendAttempt(job: ExecutionJob & Sidecar, graceMs: number): IShellRequest {
    return this._send(this._expression({ op: 'attempt', job, graceMs }));
  }

  /** Ask for a child that waits for the next attempt. */
  sendPrepare(job: Place): IShellRequest {
    return this._send(this._expression(forSpare(job)));
  }

  /** Let a child wait for secrets: it is forked before they arrive. */
  prepareForJudge(
    options: Place,
    signal: AbortSignal,
    onWaiting: Waiting
  ): Promise<PrepareAnswer> {
    return this._call(forJudge(options), prepareSchema, signal, onWaiting);
  }

  /** Null when the kernel did not answer: ask again. */
  async collect(id: string): Promise<AttemptAnswer | null> {
    return this._askAside({ op: 'collect', id }, attemptSchema);
  }

  /** End the attempt with this id, also one that has not started. True when the kernel has taken it. */
  async cancel(id: string): Promise<boolean> {
    return (await this._askAside({ op: 'cancel', id }, okSchema)) !== null;
  }

  private async _askAside<T>(
    request: { readonly op: string; readonly id: string },
    schema: z.ZodType<T>
  ): Promise<T | null> {
    if (this._control) {
      const answer = await askOnControl(
        this.kernel,
        request,
        CONTROL_TIMEOUT_MS,
        this._clock
      );
      return answer && parseAnswer(schema, request.op, answer.content);
    }
    const shell = this._send(this._expression(request));
    const answer = await shell.answer;
    return answer.status === 'ok'
      ? parseAnswer(schema, request.op, answer.value)
      : null;
  }

  private async _call<T>(
    request: { readonly op: string } & Readonly<Record<string, unknown>>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
    onWaiting?: Waiting
  ): Promise<T> {
    let answer = await this._ask(this._expression(request), signal, onWaiting);
    if (isMissing(answer)) {
      await this.install(signal);
      answer = await this._ask(this._expression(request), signal, onWaiting);
    }
    if (answer.status !== 'ok') {
      throw new RefineError(
        'kernel',
        `The kernel could not answer “${request.op}”: ${describeAnswer(answer)}`
      );
    }
    return parseAnswer(schema, request.op, answer.value);
  }

  private _ask(
    expression: string,
    signal: AbortSignal,
    onWaiting: Waiting = () => undefined
  ): Promise<ShellAnswer> {
    const { kernel, activity, _clock: clock } = this;
    const send = (text: string) => this._send(text);
    return askShell(
      { send, kernel, activity, clock, signal, onWaiting },
      expression
    );
  }

  private _send(expression: string): IShellRequest {
    return this._frame
      ? evaluateInFrame(this._frame, expression)
      : evaluate(this.kernel, this._clock, expression);
  }

  /** @param quiet - gives a text, and raises nothing, where the kernel part is missing. */
  private _expression(request: object, quiet = false): string {
    const argument = pythonLiteral(JSON.stringify(request));
    const modules = `__import__('sys').modules`;
    if (this._frame) {
      return `${modules}['${MODULE}'].call_in_frame(${argument}, locals())`;
    }
    return quiet
      ? `getattr(${modules}.get('${MODULE}'), 'call', str)(${argument})`
      : `${modules}['${MODULE}'].call(${argument})`;
  }

  /** Null when the kernel part is missing or of another version. */
  private _readHello(answer: ShellAnswer, version: string): Hello | null {
    // Without a value: the kernel part is not there.
    if (answer.status !== 'ok' || answer.value === undefined) {
      return null;
    }
    const hello = parseAnswer(helloSchema, 'hello', answer.value);
    // A debugger does not say which process answers.
    this._process = answer.process || undefined;
    this._control = hello.control;
    return hello.version === version ? hello : null;
  }

  private _control = false;
  private _process: string | undefined;
}

/** True when the job has a text that no process of a candidate may hold. */
export function hasSecrets(job: ExecutionJob): boolean {
  return (
    job.holdouts.length > 0 ||
    job.scorer !== undefined ||
    (job.hiddenNames?.length ?? 0) > 0
  );
}

/** A request for a child that is forked before secrets arrive: the attempt follows at once. */
export function forJudge(job: Place) {
  return { ...forSpare(job), force: true };
}

/** The request for a child that waits for the next attempt. */
function forSpare({ allowNetwork, allowWrites, notebookPath, sidecar }: Place) {
  return {
    op: 'prepare',
    allowNetwork,
    allowWrites,
    ...(sidecar ? { sidecar } : {}),
    ...(notebookPath === undefined ? {} : { notebookPath })
  };
}

/** True when the kernel part is not there: a fresh kernel, or one that was restarted. */
export function isMissing(answer: ShellAnswer): boolean {
  return (
    answer.status === 'raised' &&
    answer.name === 'KeyError' &&
    answer.message.includes(MODULE)
  );
}

/**
 * A Python string literal in ASCII that evaluates to `text`.
 *
 * JSON's escapes are Python's as well, except for characters beyond U+FFFF:
 * JSON writes a surrogate pair, Python needs `\UXXXXXXXX`.
 */
export function pythonLiteral(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/gu, character => {
    const code = character.codePointAt(0)!;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
