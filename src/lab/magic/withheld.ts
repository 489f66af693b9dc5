/** Kernels that know no cell magics get nothing of a cell that is meant for us. */
import type { Kernel } from '@jupyterlab/services';

type Sender = Pick<Kernel.IKernelConnection, 'requestExecute'>;

/** Sources to withhold, of kernels whose requests are watched now. */
const watched = new WeakMap<Sender, Set<string>>();

/**
 * Let the execution that is sent next, when it is of `source`, reach the kernel
 * as empty code: it ends without output or error, as our magic does in IPython.
 * For the current task only: JupyterLab sends a cell's code right after it has
 * announced it.
 */
export function withholdNext(kernel: Sender, source: string): void {
  const sources = watched.get(kernel) ?? watch(kernel);
  sources.add(source);
}

function watch(kernel: Sender): Set<string> {
  const sources = new Set<string>();
  const own = Object.getOwnPropertyDescriptor(kernel, 'requestExecute');
  const send = kernel.requestExecute;
  Object.defineProperty(kernel, 'requestExecute', {
    configurable: true,
    writable: true,
    value: ((content, ...rest) =>
      send.call(
        kernel,
        sources.delete(content.code) ? { ...content, code: '' } : content,
        ...rest
      )) as Sender['requestExecute']
  });
  watched.set(kernel, sources);
  setTimeout(() => {
    watched.delete(kernel);
    if (own) {
      Object.defineProperty(kernel, 'requestExecute', own);
    } else {
      Reflect.deleteProperty(kernel, 'requestExecute');
    }
  }, 0);
  return sources;
}
