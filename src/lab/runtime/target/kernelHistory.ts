/** What has run in a notebook's kernel since it started, whoever ran it. */
import type { Kernel } from '@jupyterlab/services';
import { untilAborted } from '../../../core/session/abort';

/** Above the number of any execution. */
const ALL = 1_000_000;
/** A kernel that the debugger has stopped does not answer. */
const LIMIT_MS = 3000;

/** Sources without trailing blanks; null when the kernel does not report them. */
export async function kernelHistory(
  kernel: Pick<Kernel.IKernelConnection, 'requestHistory'>,
  signal: AbortSignal
): Promise<ReadonlySet<string> | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const { content } = await untilAborted(
      kernel.requestHistory({
        output: false,
        raw: true,
        hist_access_type: 'range',
        session: 0,
        start: 1,
        stop: ALL
      }),
      limit
    );
    return content.status === 'ok'
      ? new Set(content.history.map(([, , input]) => text(input).trimEnd()))
      : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** With `output` an entry is a pair. */
function text(input: unknown): string {
  return String(Array.isArray(input) ? input[0] : input);
}
