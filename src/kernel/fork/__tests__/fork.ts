/** A fork executor on a kernel whose messages a test writes by hand. */
import { systemClock } from '../../../core/clock';
import type { AssertionResult } from '../../../core/domain/execution';
import type {
  ExecutionJob,
  ExecutionProgress
} from '../../../core/domain/executor';
import { ForkExecutor } from '../forkExecutor';
import { KernelHarness } from '../../harness';
import { KERNEL_VERSION } from '../../kernelSource';
import { FakeKernel, type Sent } from '../../__tests__/fakeKernel';

export const ISOLATION = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};

export const HELLO = {
  version: KERNEL_VERSION,

  isolation: ISOLATION,
  control: true,
  pid: 42
};

export const JOB: ExecutionJob = {
  id: 'a1',
  candidate: 'x = 1',
  assertions: [
    {
      cellId: 'c',
      index: 1,
      role: 'assertion',
      source: 'assert x',
      statements: 1
    }
  ],
  holdouts: [],
  limits: { seconds: 30 },
  contextValues: 'types',
  allowNetwork: false,
  allowWrites: false
};

export const RESULT: AssertionResult = {
  id: 'c:1',
  cellId: 'c',
  role: 'assertion',
  line: 1,
  source: 'assert x',
  outcome: 'passed',
  durationMs: 1
};

export const DONE = {
  state: 'done',
  execution: {
    id: 'a1',
    status: 'completed',
    stop: null,
    assertions: [RESULT],
    stdout: 'hello\n',
    stderr: '',
    displays: [],
    isolation: ISOLATION,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 7
  }
};

/** Answers `hello`; everything else is the test's. */
export function helloOnly(sent: Sent): void {
  if (sent.request.op === 'hello') {
    sent.busy().answer(HELLO).idle();
  }
}

/** An executor that is prepared, on a kernel that answers `onSend` alone. */
export async function start(onSend: (sent: Sent) => void = () => undefined) {
  const kernel = new FakeKernel();
  kernel.onSend = helloOnly;
  const executor = new ForkExecutor(
    new KernelHarness(kernel.connection, systemClock),
    systemClock
  );
  await executor.prepare(new AbortController().signal);
  kernel.onSend = onSend;
  const stop = new AbortController();
  const progress: ExecutionProgress[] = [];
  const run = (job = JOB) =>
    executor.run(job, event => progress.push(event), stop.signal);
  return { kernel, executor, run, stop, progress };
}

export const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
