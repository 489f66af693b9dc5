/** Execute code in the live kernel as a cell would, its outputs captured and shown nowhere. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { DisplayData, ExecutionError } from '../../core/domain/execution';
import { cutMiddle } from '../../core/text/cut';
import { stripAnsi } from '../channel/ansi';
import { deadKernel } from '../channel/shellRequest';

const TRACEBACK_LIMIT = 12000;
const DISPLAY_LIMIT = 1000000;
/** Characters of the plain text beside another form. */
const TEXT_LIMIT = 2000;

export type LiveOutput =
  | {
      readonly type: 'stream';
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }
  | { readonly type: 'display'; readonly display: DisplayData };

export type LiveAnswer =
  | { readonly status: 'ok' }
  | { readonly status: 'error'; readonly error: ExecutionError }
  /** Started, and interrupted; some kernels report an error instead. */
  | { readonly status: 'interrupted' }
  /** Not run: a cell before it failed, and the kernel dropped what was queued behind it. */
  | { readonly status: 'aborted' }
  /** The kernel is gone. */
  | { readonly status: 'lost' };

export interface ILiveRequest extends IDisposable {
  readonly msgId: string;
  readonly answer: Promise<LiveAnswer>;
}

/** @throws RefineError kind `kernel` when the kernel is dead. */
export function executeLive(
  kernel: Kernel.IKernelConnection,
  code: string,
  onOutput: (output: LiveOutput) => void
): ILiveRequest {
  if (kernel.isDisposed || kernel.status === 'dead') {
    throw deadKernel();
  }
  const future = kernel.requestExecute({
    code,
    // Not silent: some kernels answer `ok` to an error in a silent request.
    silent: false,
    store_history: false,
    stop_on_error: false,
    allow_stdin: false
  });
  let count: number | null = null;
  let stderr = '';
  let error: ExecutionError | null = null;
  future.onIOPub = message => {
    const type = message.header.msg_type;
    if (type === 'stream') {
      const { name, text } = (message as KernelMessage.IStreamMsg).content;
      const plain = stripAnsi(text);
      stderr =
        name === 'stderr' ? cutMiddle(stderr + plain, TRACEBACK_LIMIT) : stderr;
      onOutput({ type: 'stream', stream: name, text: plain });
    } else if (type === 'display_data' || type === 'execute_result') {
      const { data } = (message as KernelMessage.IDisplayDataMsg).content;
      const display = displayOf(data);
      if (display) {
        onOutput({ type: 'display', display });
      }
    } else if (type === 'execute_input') {
      count = (message as KernelMessage.IExecuteInputMsg).content
        .execution_count;
    } else if (type === 'error') {
      error = errorOf((message as KernelMessage.IErrorMsg).content, count);
    }
  };
  // Both reply and idle: outputs may come after the reply.
  const answer = future.done.then(
    (reply): LiveAnswer => {
      const { content } = reply;
      if (content.status === 'ok' && error === null) {
        return { status: 'ok' };
      }
      if (content.status === 'error' || error !== null) {
        const reply = content.status === 'error' ? content : null;
        const known = error ?? errorOf(reply ?? {}, count);
        return { status: 'error', error: withPrinted(known, stderr) };
      }
      return { status: count === null ? 'aborted' : 'interrupted' };
    },
    (): LiveAnswer => ({ status: 'lost' })
  );
  return {
    msgId: future.msg.header.msg_id,
    answer,
    get isDisposed() {
      return future.isDisposed;
    },
    dispose: () => future.dispose()
  };
}

/** tslab sends none of the three fields, although the protocol requires them. */
function errorOf(
  content: {
    readonly ename?: string;
    readonly evalue?: string;
    readonly traceback?: readonly string[];
  },
  count: number | null
): ExecutionError {
  const { ename = '', evalue = '' } = content;
  const traceback = stripAnsi((content.traceback ?? []).join('\n'));
  const line = candidateLine(traceback, count);
  const message = stripAnsi(evalue)
    .trim()
    .replace(/^Error: /, '');
  return {
    // xeus-python sends the text of the class, IRkernel no name of its own, bash_kernel none and the status of the last command.
    name: ename.replace(/^<class '(?:\w+\.)*(\w+)'>$|^ERROR$/, '$1') || 'Error',
    message:
      /^\d+$/.test(message) && !ename ? `exit status ${message}` : message,
    traceback: cutMiddle(traceback, TRACEBACK_LIMIT),
    ...(line === null ? {} : { candidateLine: line })
  };
}

/** tslab prints what went wrong, and replies with an error without text. */
function withPrinted(error: ExecutionError, stderr: string): ExecutionError {
  return error.message || error.traceback.trim()
    ? error
    : { ...error, message: stderr.trim() };
}

/** IPython names the cell it runs `Cell In[N]`. */
function candidateLine(traceback: string, count: number | null): number | null {
  const last = [...traceback.matchAll(/Cell In ?\[(\d+)\], line (\d+)/g)]
    .filter(match => Number(match[1]) === count)
    .at(-1);
  return last ? Number(last[2]) : null;
}

/** Forms of an output, the best first; as the kernel part chooses. */
const MIMES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/svg+xml',
  'text/html',
  'text/markdown',
  'text/latex',
  'text/plain',
  'application/json'
];

function displayOf(
  data: Readonly<Record<string, unknown>>
): DisplayData | null {
  const textOf = (mime: string) => {
    const value = data[mime];
    return Array.isArray(value)
      ? value.join('')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  };
  const known = MIMES.find(mime => mime in data);
  const mime = known ?? Object.keys(data).at(0);
  if (mime === undefined) {
    return null;
  }
  const content = textOf(mime);
  const isKept = known !== undefined && content.length <= DISPLAY_LIMIT;
  return {
    mime,
    data: isKept ? content : '',
    ...(mime !== 'text/plain' && 'text/plain' in data
      ? { text: textOf('text/plain').slice(0, TEXT_LIMIT) }
      : {}),
    ...(isKept ? {} : { leftOut: content.length })
  };
}
