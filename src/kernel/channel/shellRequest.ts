/**
 * Evaluate a Python expression in the kernel without a trace: empty code,
 * silent, and the value rides back in the execute reply. No cell's output, no
 * history and no variable is touched.
 */
import type { Kernel } from '@jupyterlab/services';
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

/** ipykernel sends no reply when an interrupt hits it between reply and dispatch; idle comes still. */
const REPLY_AFTER_IDLE_MS = 1000;

/** @throws RefineError kind `kernel` when the kernel is dead. */
export function evaluate(
  kernel: Kernel.IKernelConnection,
  clock: IClock,
  expression: string
): IShellRequest {
  const future = send(kernel, expression);
  let cancel = () => {};
  const answer = new Promise<ShellAnswer>(resolve => {
    future.onReply = reply => {
      cancel();
      resolve(readReply(reply.content, reply.header.session));
    };
    future.onIOPub = message => {
      if (
        message.header.msg_type === 'status' &&
        (message.content as { readonly execution_state?: string })
          .execution_state === 'idle'
      ) {
        cancel = after(clock, REPLY_AFTER_IDLE_MS, () =>
          resolve({ status: 'lost' })
        );
      }
    };
    future.done.catch(() => resolve({ status: 'lost' }));
  });
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
    message: result?.evalue ?? 'the kernel evaluated nothing'
  };
}
