/**
 * Evaluate a Python expression in the kernel without a trace: empty code,
 * silent, and the value rides back in the execute reply. No cell's output, no
 * history and no variable is touched.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { after, type IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';

export type ShellAnswer =
  | {
      readonly status: 'ok';
      readonly value: unknown;
      /** Session id of the kernel's process: another one after a restart. */
      readonly process: string;
    }
  /** The expression raised. */
  | {
      readonly status: 'raised';
      readonly name: string;
      readonly message: string;
    }
  /** A cell before this request failed, and the kernel dropped what was queued behind it. */
  | { readonly status: 'aborted' }
  /** Interrupted, or the kernel is gone: what was asked for may run anyway. */
  | { readonly status: 'lost' };

export interface IShellRequest extends IDisposable {
  readonly msgId: string;
  /** Stays pending after `dispose`. Rejects only where a debugger has left the frame that was asked. */
  readonly answer: Promise<ShellAnswer>;
}

/**
 * ipykernel sends no reply to a type that it does not know, nor when an
 * interrupt hits it between reply and dispatch; idle comes still.
 */
const REPLY_AFTER_IDLE_MS = 1000;

/** The reply to a request; null where none comes, at the latest after `timeoutMs`. */
export function replyTo<
  R extends KernelMessage.IShellMessage | KernelMessage.IControlMessage
>(
  future: Pick<
    Kernel.IFuture<KernelMessage.IShellControlMessage, R>,
    'onReply' | 'onIOPub' | 'done'
  >,
  clock: IClock,
  timeoutMs?: number
): { readonly reply: Promise<R | null>; readonly cancel: () => void } {
  let cancel = () => {};
  const reply = new Promise<R | null>(resolve => {
    const end = (message: R | null) => {
      cancel();
      resolve(message);
    };
    const endAfter = (ms: number) => {
      cancel();
      cancel = after(clock, ms, () => end(null));
    };
    if (timeoutMs !== undefined) {
      endAfter(timeoutMs);
    }
    future.onReply = end;
    future.onIOPub = ({ header, content }) => {
      const state = (content as { readonly execution_state?: string })
        .execution_state;
      if (header.msg_type === 'status' && state === 'idle') {
        endAfter(REPLY_AFTER_IDLE_MS);
      }
    };
    future.done.catch(() => end(null));
  });
  return { reply, cancel: () => cancel() };
}

/** @throws RefineError kind `kernel` when the kernel is dead. */
export function evaluate(
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  expression: string
): IShellRequest {
  const future = send(kernel, expression);
  const { reply, cancel } = replyTo(future, clock);
  const answer = reply.then((message): ShellAnswer =>
    message === null
      ? { status: 'lost' }
      : readReply(message.content, message.header.session)
  );
  let disposed = false;
  return {
    msgId: future.msg.header.msg_id,
    answer: answer.then(value => (disposed ? new Promise(() => {}) : value)),
    get isDisposed() {
      return disposed;
    },
    dispose: () => {
      disposed = true;
      cancel();
      future.dispose();
    }
  };
}

function send(kernel: Kernel.IKernelConnection, expression: string) {
  if (kernel.isDisposed || kernel.status === 'dead') {
    throw deadKernel();
  }
  try {
    return kernel.requestExecute({
      code: '',
      silent: true,
      store_history: false,
      stop_on_error: false,
      allow_stdin: false,
      user_expressions: { r: expression }
    });
  } catch (cause) {
    throw deadKernel(cause);
  }
}

export function deadKernel(cause?: unknown): RefineError {
  return new RefineError(
    'kernel',
    'The kernel is not running. Start it, run the cells above, then try again.',
    {
      code: 'kernel-dead',
      cause
    }
  );
}

type ExpressionResult = {
  readonly status?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ename?: string;
  readonly evalue?: string;
};

function readReply(
  content: {
    readonly status: string;
    readonly ename?: string;
    readonly evalue?: string;
    readonly user_expressions?: unknown;
  },
  process: string
): ShellAnswer {
  if (content.status === 'aborted' || content.status === 'abort') {
    return { status: 'aborted' };
  }
  const expressions = content.user_expressions as
    { readonly r?: ExpressionResult } | undefined;
  const result: ExpressionResult | undefined =
    content.status === 'ok' ? expressions?.r : content;
  if (result?.status === 'ok') {
    return { status: 'ok', value: result.data?.['application/json'], process };
  }
  if (result?.ename === 'KeyboardInterrupt') {
    return { status: 'lost' };
  }
  return {
    status: 'raised',
    name: result?.ename ?? 'Error',
    message: result?.evalue ?? 'it evaluates no expressions, as in JupyterLite'
  };
}
