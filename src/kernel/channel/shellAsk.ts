/** Ask over the shell channel until there is an answer, or it is clear that none will come. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import { untilAborted } from '../../core/session/abort';
import type { KernelActivity } from './kernelActivity';
import {
  KERNEL_END_MESSAGES,
  watchKernelEnd,
  type KernelEnd
} from './kernelEnd';
import type { IShellRequest, ShellAnswer } from './shellRequest';
import { MAX_RESENDS, reportWaiting, resendPauseMs, whenIdle } from './waiting';

/** How long an idle kernel may take for a request that does almost no work. */
const IDLE_TIMEOUT_MS = 15000;

/** Called with what a request waits for; null when it continues. */
export type Waiting = (reason: string | null) => void;

export type ShellWay = {
  readonly send: (expression: string) => IShellRequest;
  readonly kernel: Kernel.IKernelConnection;
  readonly activity: KernelActivity;
  readonly clock: IClock;
  readonly signal: AbortSignal;
  readonly onWaiting: Waiting;
};

/** One answer that is neither aborted nor lost. Rejects with the signal's reason when aborted. */
export async function askShell(
  way: ShellWay,
  expression: string
): Promise<ShellAnswer> {
  for (let resends = 0; ; resends++) {
    const answer = await askOnce(way, expression);
    if (answer.status === 'ok' || answer.status === 'raised') {
      return answer;
    }
    if (resends === MAX_RESENDS) {
      throw new RefineError(
        'kernel',
        `The kernel gave no answer ${MAX_RESENDS + 1} times: ${describeAnswer(answer)}`,
        { code: 'kernel-busy', numbers: { resends } }
      );
    }
    await way.clock.sleep(resendPauseMs(resends), way.signal);
  }
}

function askOnce(
  { send, kernel, activity, clock, signal, onWaiting }: ShellWay,
  expression: string
): Promise<ShellAnswer> {
  signal.throwIfAborted();
  const request = send(expression);
  const open: IDisposable[] = [request];
  const answer = new Promise<ShellAnswer>((resolve, reject) => {
    open.push(
      reportWaiting(
        activity,
        () => activity.isRunning(request.msgId),
        onWaiting
      ),
      whenIdle(activity, IDLE_TIMEOUT_MS, () => reject(noAnswer()))
    );
    request.answer.then(resolve, reject);
  });
  return whileAlive(answer, kernel, clock, signal).finally(() =>
    open.forEach(item => item.dispose())
  );
}

/** `promise`, unless the kernel ends or `signal` is aborted first. @throws RefineError kind `kernel`; the signal's reason. */
export function whileAlive<T>(
  promise: Promise<T>,
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  signal: AbortSignal
): Promise<T> {
  const controller = new AbortController();
  const watch = watchKernelEnd(kernel, clock, end =>
    controller.abort(kernelEnded(end))
  );
  const ended = AbortSignal.any([signal, controller.signal]);
  return untilAborted(promise, ended).finally(() => watch.dispose());
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

export function describeAnswer(answer: ShellAnswer): string {
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
