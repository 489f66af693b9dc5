/** Ask the kernel part through a debugger: a kernel that it has stopped answers nothing else in its main thread. */
import type { PausedFrame } from '../../core/domain/executor';
import { RefineError } from '../../core/errors';
import type { IShellRequest, ShellAnswer } from './shellRequest';

/**
 * Evaluate in the paused frame; the answer rejects with a RefineError when the debugger has left it.
 */
export function evaluateInFrame(
  frame: PausedFrame,
  expression: string
): IShellRequest {
  let disposed = false;
  const evaluated = frame.isPaused()
    ? frame.evaluate(expression)
    : Promise.reject(new Error());
  const answer = evaluated.then(readAnswer, (reason): ShellAnswer => {
    if (!frame.isPaused()) {
      throw new RefineError(
        'kernel',
        'The debugger left the line where this session started. Attempts run only while the kernel is stopped there.',
        {
          code: 'kernel-busy'
        }
      );
    }
    return raised(reason instanceof Error ? reason.message : String(reason));
  });
  return {
    msgId: '',
    answer: answer.then(value => (disposed ? new Promise(() => {}) : value)),
    get isDisposed() {
      return disposed;
    },
    dispose: () => {
      disposed = true;
    }
  };
}

/** The `repr` of the base64 text that `call_in_frame` returns, or of nothing; else what was raised: some debuggers give it as the value. */
function readAnswer(text: string): ShellAnswer {
  if (text === 'None') {
    return { status: 'ok', value: undefined, process: '' };
  }
  const encoded = /^'([A-Za-z0-9+/]+=*)'$/.exec(text)?.[1];
  if (encoded === undefined) {
    return raised(text);
  }
  const bytes = Uint8Array.from(atob(encoded), char => char.charCodeAt(0));
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return { status: 'ok', value, process: '' };
}

/** The last line of what a debugger says is `KeyError: 'x'`. */
function raised(message: string): ShellAnswer {
  const last = message.trimEnd().split('\n').at(-1) ?? '';
  const [, name, detail] = /^(\w+): (.*)$/.exec(last) ?? [];
  return {
    status: 'raised',
    name: name ?? 'Error',
    message: detail ?? (last === '' ? message : last)
  };
}
