/** Jobs and cells for tests on real kernels. */
import type { Kernel } from '@jupyterlab/services';
import type { ExecutionJob } from '../../core/domain/executor';

let jobs = 0;

export function job(
  candidate: string,
  check: string,
  seconds = 20
): ExecutionJob {
  return {
    id: `job${jobs++}`,
    candidate,
    assertions: [
      { cellId: 'c', index: 1, role: 'assertion', source: check, statements: 1 }
    ],
    holdouts: [],
    limits: { seconds },
    contextValues: 'types',
    allowNetwork: false,
    allowWrites: false
  };
}

/** Run a cell as a user does: what it prints, or the name of its error. */
export async function runCell(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<string> {
  const future = kernel.requestExecute({ code });
  let text = '';
  future.onIOPub = message => {
    const content = message.content as { text?: string; ename?: string };
    text += content.text ?? content.ename ?? '';
  };
  await future.done;
  return text.trim();
}

export function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}

/** Wait for `condition`; the test's own limit bounds it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await pause(20);
  }
}
