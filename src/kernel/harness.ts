/** The kernel part from outside: installs it and asks it, over the shell or past a running cell. */
import type { Kernel } from '@jupyterlab/services';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { z } from 'zod';
import type { IClock } from '../core/clock';
import { RefineError } from '../core/errors';
import type { ExecutionJob } from '../core/executor';
import type { ContextValues } from '../core/options';
import type { VariableInfo } from '../core/request';
import { askOnControl } from './controlRequest';
import { whenIdle } from './idle';
import { KernelActivity } from './kernelActivity';
import {
  KERNEL_END_MESSAGES,
  watchKernelEnd,
  type KernelEnd
} from './kernelEnd';
import { pythonLiteral } from './pythonLiteral';
import {
  attemptSchema,
  helloSchema,
  inspectSchema,
  okSchema,
  parseAnswer,
  type AttemptAnswer,
  type Hello
} from './schema';
import { evaluate, type IShellRequest, type ShellAnswer } from './shellRequest';
import { reportWaiting } from './waiting';

const MODULE = '_jupyterlab_refine';
const CONTROL_TIMEOUT_MS = 5000;
/** Times a request is sent again because a cell before it failed. */
const MAX_RESENDS = 20;
/** How long an idle kernel may take for a request that does no work to speak of. */
const IDLE_TIMEOUT_MS = 15000;

type Waiting = (reason: string | null) => void;

export class KernelHarness implements IDisposable {
  constructor(
    readonly kernel: Kernel.IKernelConnection,
    private readonly _clock: IClock
  ) {
    this.activity = new KernelActivity(kernel);
  }

  readonly activity: KernelActivity;

  /** Session id of the process the kernel part was installed in. */
  get process(): string | undefined {
    return this._process;
  }

  get isDisposed(): boolean {
    return this.activity.isDisposed;
  }

  dispose(): void {
    this.activity.dispose();
  }

  /** True when the kernel answers on the control channel while a cell runs. */
  get control(): boolean {
    return this._control;
  }

  /**
   * Make sure that this version of the kernel part is there.
   *
   * @throws RefineError kind `kernel` when the kernel is no Python that can run it, or gone.
   */
  async install(signal: AbortSignal, onWaiting?: Waiting): Promise<Hello> {
    // Loaded on first use: most of this room's size.
    const { KERNEL_SOURCE, KERNEL_VERSION } = await import('./kernelSource');
    const first = await this._ask(
      callExpression({ op: 'hello' }),
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
        `The kernel cannot run the part that isolates attempts: ${installed.name}: ${installed.message}.`,
        { code: 'kernel-refused' }
      );
    }
    const hello = await this._ask(
      callExpression({ op: 'hello' }),
      signal,
      onWaiting
    );
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

  /** Send an attempt; the caller waits for the answer, which may be `running`. */
  sendAttempt(job: ExecutionJob, graceMs: number): IShellRequest {
    return evaluate(
      this.kernel,
      callExpression({ op: 'attempt', job, graceMs })
    );
  }

  /** Ask for a child that waits for the next attempt. */
  sendPrepare(options: {
    readonly allowNetwork: boolean;
    readonly allowWrites: boolean;
  }): IShellRequest {
    const { allowNetwork, allowWrites } = options;
    return evaluate(
      this.kernel,
      callExpression({ op: 'prepare', allowNetwork, allowWrites })
    );
  }

  /** Null when the kernel did not answer: ask again. */
  async collect(id: string): Promise<AttemptAnswer | null> {
    return this._askAside({ op: 'collect', id }, attemptSchema);
  }

  /** End the attempt with this id, also one that has not begun. True when the kernel has taken it. */
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
        CONTROL_TIMEOUT_MS
      );
      return answer.status === 'ok'
        ? parseAnswer(schema, request.op, answer.value)
        : null;
    }
    const shell = evaluate(this.kernel, callExpression(request));
    const answer = await shell.answer;
    return answer.status === 'ok'
      ? parseAnswer(schema, request.op, answer.value)
      : null;
  }

  private async _call<T>(
    request: { readonly op: string } & Readonly<Record<string, unknown>>,
    schema: z.ZodType<T>,
    signal: AbortSignal
  ): Promise<T> {
    let answer = await this._ask(callExpression(request), signal);
    if (isMissing(answer)) {
      await this.install(signal);
      answer = await this._ask(callExpression(request), signal);
    }
    if (answer.status !== 'ok') {
      throw new RefineError(
        'kernel',
        `The kernel could not answer “${request.op}”: ${describe(answer)}`
      );
    }
    return parseAnswer(schema, request.op, answer.value);
  }

  /** One answer that is neither aborted nor lost. Rejects with the signal's reason when aborted. */
  private async _ask(
    expression: string,
    signal: AbortSignal,
    onWaiting: Waiting = () => undefined
  ): Promise<ShellAnswer> {
    for (let resends = 0; ; resends++) {
      const answer = await this._askOnce(expression, signal, onWaiting);
      if (answer.status === 'ok' || answer.status === 'raised') {
        return answer;
      }
      if (resends === MAX_RESENDS) {
        throw new RefineError(
          'kernel',
          `The kernel gave no answer ${MAX_RESENDS + 1} times: ${describe(answer)}`,
          { code: 'kernel-busy', numbers: { resends } }
        );
      }
      await this._clock.sleep(Math.min(10 * 2 ** resends, 500), signal);
    }
  }

  private _askOnce(
    expression: string,
    signal: AbortSignal,
    onWaiting: Waiting
  ): Promise<ShellAnswer> {
    signal.throwIfAborted();
    const request = evaluate(this.kernel, expression);
    const open: IDisposable[] = [request];
    return new Promise<ShellAnswer>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      open.push(
        new DisposableDelegate(() =>
          signal.removeEventListener('abort', onAbort)
        ),
        watchKernelEnd(this.kernel, end => reject(kernelEnded(end))),
        reportWaiting(
          this.activity,
          () => this.activity.isRunning(request.msgId),
          onWaiting
        ),
        whenIdle(this.activity, IDLE_TIMEOUT_MS, () => reject(noAnswer()))
      );
      request.answer.then(resolve, reject);
    }).finally(() => open.forEach(item => item.dispose()));
  }

  /** Null when the kernel part is missing or of another version. */
  private _readHello(answer: ShellAnswer, version: string): Hello | null {
    if (answer.status !== 'ok') {
      return null;
    }
    const hello = parseAnswer(helloSchema, 'hello', answer.value);
    this._process = answer.process;
    this._control = hello.control;
    return hello.version === version ? hello : null;
  }

  private _control = false;
  private _process: string | undefined;
}

/** True when the kernel part is not there: a fresh kernel, or one that was restarted. */
export function isMissing(answer: ShellAnswer): boolean {
  return (
    answer.status === 'raised' &&
    answer.name === 'KeyError' &&
    answer.message.includes(MODULE)
  );
}

export function kernelEnded(end: KernelEnd): RefineError {
  return new RefineError('kernel', KERNEL_END_MESSAGES[end], {
    code: end === 'kernel-died' ? 'kernel-dead' : 'kernel-restarted'
  });
}

function noAnswer(): RefineError {
  return new RefineError(
    'kernel',
    `The kernel does not answer: nothing came back within ${IDLE_TIMEOUT_MS / 1000} s. Restart it, run the cells above, then try again.`,
    { code: 'kernel-dead', numbers: { waitedMs: IDLE_TIMEOUT_MS } }
  );
}

function describe(answer: ShellAnswer): string {
  switch (answer.status) {
    case 'ok':
      return 'ok';
    case 'raised':
      return `${answer.name}: ${answer.message}`;
    case 'aborted':
      return 'a cell before it failed';
    case 'lost':
      return 'it was interrupted';
  }
}

function callExpression(request: object): string {
  const argument = pythonLiteral(JSON.stringify(request));
  return `__import__('sys').modules['${MODULE}'].call(${argument})`;
}
